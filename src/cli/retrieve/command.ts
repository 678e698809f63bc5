import { MemoryService, RetrieveMemoryEventSchema } from '../../shared/gen/service/v1/memory_pb.ts';
import { required } from '../kit/command.ts';
import { loneCommand } from '../kit/define-command.ts';
import { type CommandError, usageError } from '../kit/errors.ts';
import { eventWriter } from '../kit/output/event-writer.ts';
import type { Io, Terminal } from '../kit/output/io.ts';
import { passEvents, peopleWriter, showsWriting } from './events.ts';
import { RETRIEVE_FLAGS } from './flags.ts';
import { RESULT_FIELDS, selectedResults } from './json.ts';
import { retrievalPlan, thresholdRemark } from './plan.ts';
import { retrieveRequest, searchedSpaces, withTargetIds } from './request.ts';

export const retrieve = loneCommand({
  notes: [
    'Without --space all of your spaces are searched. In a pipe it writes the events as NDJSON. Exit code 76: the stream ended early.',
    'With --json it writes one array of the results, once all of them are here: text is the chunk that was found, stage what the score comes from, line where the best sentence stands in its document, chunk and memory are the whole records. Remarks go to stderr.',
  ].join('\n\n'),
  jsonFields: RESULT_FIELDS,
  args: { query: { ...required('query', 'The question'), fields: ['message'] } },
  flags: RETRIEVE_FLAGS,
  examples: [
    "retrieve 'when was the boiler serviced?'",
    "retrieve boiler --space house --filter \"val('$.room') = 'cellar'\" --full",
    "retrieve boiler --max-results 5 --json score,text,path --jq '.[].text'",
  ],
  async run({ io, client, signal }, { args, flags }) {
    const { selection } = io;
    if (selection !== undefined && flags.interactive) throw usageError('Give --json or --interactive, not both');
    const terminal = flags.interactive ? interactiveTerminal(io) : undefined;
    const server = await client();
    const spaceIds = await searchedSpaces(server, flags.space);
    const request = await retrieveRequest(io, args.query, spaceIds, await withTargetIds(server, flags));
    const remark = thresholdRemark(request, flags);
    if (remark !== undefined) await io.stderr.write(`${remark}\n`);
    const options = { plan: retrievalPlan(request, flags), full: flags.full };
    if (terminal !== undefined) {
      const { browseResults } = await import('./browse.tsx');
      await browseResults({ io, terminal, client: server, signal }, request, options);
      return undefined;
    }
    if (selection !== undefined && options.plan.summarizes) throw noResult();
    const writer =
      selection === undefined
        ? eventWriter(io, RetrieveMemoryEventSchema, await peopleWriter(io, options))
        : selectedResults({ io, selection, message: args.query });
    const streamSummary = options.plan.summarizes && showsWriting(io);
    const events = server.stream(MemoryService.method.retrieveMemory, { ...request, streamSummary });
    await passEvents(events, writer, signal);
    return undefined;
  },
});

/** An LLM is slow and may cost: what it writes is not to be thrown away unseen. */
function noResult(): CommandError {
  return usageError('--json writes only the results, not the summary', {
    next: 'Leave --llm out, or get both with: svc ask QUESTION --llm NAME --json answer,results',
  });
}

/** A list can be browsed where there are keys to press and a screen to draw on. */
function interactiveTerminal(io: Io): Terminal {
  if (io.terminal !== undefined && io.stdinIsTerminal) return io.terminal;
  throw usageError('--interactive needs a terminal that can be redrawn', {
    details: 'stdin or stdout is no terminal, or it is plain, dumb, narrower than 60 columns, or runs under CI',
    next: 'Leave --interactive out, or ask for the screen with: -o tui',
  });
}
