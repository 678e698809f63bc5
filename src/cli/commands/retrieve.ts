import { MemoryService, RetrieveMemoryEventSchema } from '../../shared/gen/service/v1/memory_pb.ts';
import { ResultSetBoundary_Kind as BoundaryKind } from '../../shared/gen/service/v1/retrieve_pb.ts';
import type { Client } from '../client/client.ts';
import { ownSpaceIds, resolveSpace } from '../client/spaces.ts';
import { command, required } from '../command.ts';
import { CommandError, EXIT, partialError, usageError } from '../failure.ts';
import { RETRIEVE_FLAGS } from '../flags/retrieve-flags.ts';
import { eventWriter } from '../render/event-writer.ts';
import { retrieveLines } from '../render/retrieve-lines.ts';
import { retrieveRequest } from '../retrieval/request.ts';

const MOST_SPACES = 100;

export const retrieve = command({
  name: 'retrieve',
  summary: 'Find memories by meaning',
  notes:
    'Without --space all of your spaces are searched. In a pipe it writes the events as NDJSON. Exit code 76: it ended early.',
  args: { query: required('query', 'The question') },
  flags: RETRIEVE_FLAGS,
  examples: [
    "retrieve 'when was the boiler serviced?'",
    'retrieve boiler --space house --search hybrid --max-results 5 --full',
    "retrieve boiler --filter \"val('$.room') = 'cellar'\" -o ndjson",
  ],
  async run({ io, client, signal }, { args, flags }) {
    const server = await client();
    const spaceIds = flags.space.length === 0 ? await allOwnSpaces(server) : await resolveAll(server, flags.space);
    const request = await retrieveRequest(args.query, spaceIds, flags, io.cwd);
    const writer = eventWriter(io, RetrieveMemoryEventSchema, retrieveLines(io, { full: flags.full }));
    let count = 0;
    let hasEnded = false;
    try {
      for await (const event of server.stream(MemoryService.method.retrieveMemory, request)) {
        count += 1;
        const { value, case: kind } = event.event;
        if (kind === 'resultSetBoundary' && value.kind === BoundaryKind.END) hasEnded = true;
        await writer.event(event);
      }
    } catch (error) {
      if (signal.aborted || count === 0 || hasEnded) throw error;
      throw partialError('The stream ended early', error);
    } finally {
      if (count > 0) await writer.end();
    }
    if (!hasEnded) throw partialError('The stream ended early');
    return undefined;
  },
});

async function resolveAll(client: Client, names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push(await resolveSpace(client, name));
  return [...new Set(ids)];
}

async function allOwnSpaces(client: Client): Promise<string[]> {
  const ids = await ownSpaceIds(client, MOST_SPACES);
  if (ids.length > MOST_SPACES) {
    throw usageError(`You have more than ${MOST_SPACES} spaces`, { next: 'Name the ones to search with --space' });
  }
  if (ids.length > 0) return ids;
  throw new CommandError('You have no spaces to search', {
    code: 'NOT_FOUND',
    exit: EXIT.noInput,
    next: 'Make one: svc spaces create NAME, or name a public one with --space',
  });
}
