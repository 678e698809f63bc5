import { MemoryService, RetrieveMemoryEventSchema } from '../../shared/gen/service/v1/memory_pb.ts';
import { command, required } from '../command.ts';
import { usageError } from '../failure.ts';
import { RETRIEVE_FLAGS } from '../flags/retrieve-flags.ts';
import type { Io, Terminal } from '../io.ts';
import { eventWriter } from '../render/event-writer.ts';
import { peopleWriter, searchedSpaces, showsWriting, withTargetIds } from '../retrieval/open.ts';
import { passEvents } from '../retrieval/pass-events.ts';
import { retrievalPlan, thresholdRemark } from '../retrieval/plan.ts';
import { retrieveRequest } from '../retrieval/request.ts';

export const retrieve = command({
  name: 'retrieve',
  summary: 'Find memories by meaning',
  notes:
    'Without --space all of your spaces are searched. In a pipe it writes the events as NDJSON. Exit code 76: it ended early.',
  args: { query: { ...required('query', 'The question'), fields: ['message'] } },
  flags: RETRIEVE_FLAGS,
  examples: [
    "retrieve 'when was the boiler serviced?'",
    'retrieve boiler --space house --max-results 5 --full',
    "retrieve boiler --filter \"val('$.room') = 'cellar'\" -o ndjson",
  ],
  async run({ io, client, signal }, { args, flags }) {
    const terminal = flags.interactive ? interactiveTerminal(io) : undefined;
    const server = await client();
    const spaceIds = await searchedSpaces(server, flags.space);
    const request = await retrieveRequest(io, args.query, spaceIds, await withTargetIds(server, flags));
    const remark = thresholdRemark(request, flags);
    if (remark !== undefined) await io.stderr.write(`${remark}\n`);
    const options = { plan: retrievalPlan(request, flags), full: flags.full };
    if (terminal !== undefined) {
      const { browseResults } = await import('../render/tui/retrieve-browse.tsx');
      await browseResults({ io, terminal, client: server, signal }, request, options);
      return undefined;
    }
    const writer = eventWriter(io, RetrieveMemoryEventSchema, await peopleWriter(io, options));
    const streamSummary = options.plan.summarises && showsWriting(io);
    const events = server.stream(MemoryService.method.retrieveMemory, { ...request, streamSummary });
    await passEvents(events, writer, signal);
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
