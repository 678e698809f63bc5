import { MemoryService, RetrieveMemoryEventSchema } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Client } from '../client/client.ts';
import { ownSpaceIds, resolveSpace } from '../client/spaces.ts';
import { command, required } from '../command.ts';
import { CommandError, EXIT, usageError } from '../failure.ts';
import { pairOf } from '../flags/kinds.ts';
import { RETRIEVE_FLAGS } from '../flags/retrieve-flags.ts';
import type { Io, Terminal } from '../io.ts';
import { resolveTargetOf, type TargetNoun } from '../naming/targets.ts';
import { eventWriter } from '../render/event-writer.ts';
import { type RetrieveViewOptions, retrieveLines } from '../render/retrieve-lines.ts';
import { passEvents } from '../retrieval/pass-events.ts';
import { retrievalPlan } from '../retrieval/plan.ts';
import { type RetrieveFlags, retrieveRequest } from '../retrieval/request.ts';

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
    'retrieve boiler --space house --max-results 5 --full',
    "retrieve boiler --filter \"val('$.room') = 'cellar'\" -o ndjson",
  ],
  async run({ io, client, signal }, { args, flags }) {
    const terminal = flags.interactive ? interactiveTerminal(io) : undefined;
    const server = await client();
    const spaceIds = flags.space.length === 0 ? await allOwnSpaces(server) : await resolveAll(server, flags.space);
    const request = await retrieveRequest(io, args.query, spaceIds, await withTargetIds(server, flags));
    const options = { plan: retrievalPlan(request, flags), full: flags.full };
    if (terminal !== undefined) {
      const { browseResults } = await import('../render/tui/retrieve-browse.tsx');
      await browseResults({ io, terminal, client: server, signal }, request, options);
      return undefined;
    }
    const writer = eventWriter(io, RetrieveMemoryEventSchema, await peopleWriter(io, options));
    await passEvents(server.stream(MemoryService.method.retrieveMemory, request), writer, signal);
    return undefined;
  },
});

/** A list can be browsed where there are keys to press and a screen to draw on. */
function interactiveTerminal(io: Io): Terminal {
  if (io.terminal !== undefined && io.stdinIsTerminal) return io.terminal;
  throw usageError('--interactive needs a terminal that can be redrawn', {
    details: 'stdin or stdout is no terminal, or it is plain, dumb, narrower than 60 columns, or runs under CI',
    next: 'Leave --interactive out, or ask for the screen with: -o tui',
  });
}

async function peopleWriter(io: Io, options: RetrieveViewOptions) {
  if (io.events !== 'tui' || io.terminal === undefined) return retrieveLines(io, options);
  const { retrieveScreen } = await import('../render/tui/retrieve-screen.tsx');
  return await retrieveScreen(io, io.terminal, options);
}

/** Models by their ids, however they were named. */
async function withTargetIds(client: Client, flags: RetrieveFlags): Promise<RetrieveFlags> {
  const idOf = async (noun: TargetNoun, name: string | undefined): Promise<string | undefined> =>
    name === undefined ? undefined : await resolveTargetOf(noun, client, name);
  const embedderWeight: string[] = [];
  for (const entry of flags.embedderWeight) {
    const [name, weight] = pairOf(entry, '--embedder-weight', 'name=weight');
    embedderWeight.push(`${await idOf('embedders', name)}=${weight}`);
  }
  const reranker = await idOf('rerankers', flags.reranker);
  return { ...flags, embedderWeight, reranker, llm: await idOf('llms', flags.llm) };
}

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
