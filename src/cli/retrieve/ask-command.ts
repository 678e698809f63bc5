import { EXIT } from '../../shared/exit-codes.ts';
import { LLMService } from '../../shared/gen/service/v1/llm_pb.ts';
import {
  MemoryService,
  type RetrieveMemoryEvent,
  RetrieveMemoryEventSchema,
} from '../../shared/gen/service/v1/memory_pb.ts';
import type { Client } from '../kit/client/client.ts';
import { required } from '../kit/command.ts';
import { loneCommand } from '../kit/define-command.ts';
import { CommandError, usageError } from '../kit/errors.ts';
import { eventWriter } from '../kit/output/event-writer.ts';
import { oneLine } from '../kit/text/printable.ts';
import { passEvents, peopleWriter } from './events.ts';
import { ASK_FLAGS } from './flags.ts';
import { ANSWER_FIELDS, selectedAnswer } from './json.ts';
import { retrievalPlan, thresholdRemark } from './plan.ts';
import { type RetrieveFlags, retrieveRequest, searchedSpaces, withTargetIds } from './request.ts';

/** What a retrieval has flags for and a question has not. */
const UNASKED = {
  postProcessor: undefined,
  postProcessorConfig: undefined,
  content: false,
  noMemory: false,
  interactive: false,
} as const;

export const ask = loneCommand({
  notes: [
    'An LLM answers from what svc retrieve finds, and names its sources: [1] is the first of them. Without --llm it is the one with the label default=true, else the only one. In a pipe it writes the events as NDJSON, the answer piece by piece as abstractDelta and whole as abstractReply. Exit code 1: the LLM gave no answer.',
    'With --json it writes one object once the answer is complete: answer is its text, null where there is none; sources are the results that it names, or all of them where it names none; results are all that were found. Each is an object with rank, score, text, path, memoryId and the other fields of svc retrieve --json but chunk and memory. Remarks go to stderr.',
  ].join('\n\n'),
  jsonFields: ANSWER_FIELDS,
  args: { question: required('question', 'The question') },
  flags: ASK_FLAGS,
  examples: [
    "ask 'when was the boiler serviced, and by whom?'",
    "ask 'what is still to be done in the attic?' --space house --llm 'Small LLM' --full",
    "ask 'who has the spare key?' --json answer,sources --jq '.answer, .sources[].path'",
  ],
  async run({ io, client, signal }, { args, flags }) {
    const server = await client();
    const spaceIds = await searchedSpaces(server, flags.space);
    const chosen: RetrieveFlags = await withTargetIds(server, { ...flags, ...UNASKED });
    const llm = chosen.llm ?? (await defaultLlm(server));
    const request = await retrieveRequest(io, args.question, spaceIds, { ...chosen, llm });
    const remark = thresholdRemark(request, flags);
    if (remark !== undefined) await io.stderr.write(`${remark}\n`);
    const options = { plan: retrievalPlan(request, flags, true), full: flags.full };
    const { selection } = io;
    const writer =
      selection === undefined
        ? eventWriter(io, RetrieveMemoryEventSchema, await peopleWriter(io, options))
        : selectedAnswer({ io, selection, message: args.question });
    const outcome = { results: 0, isAnswered: false };
    const events = server.stream(MemoryService.method.retrieveMemory, {
      ...request,
      streamSummary: selection === undefined,
    });
    await passEvents(watched(events, outcome), writer, signal);
    // Why there is no answer stands in the stream.
    return outcome.results > 0 && !outcome.isAnswered ? EXIT.failed : undefined;
  },
});

async function* watched(
  events: AsyncIterable<RetrieveMemoryEvent>,
  outcome: { results: number; isAnswered: boolean },
): AsyncIterable<RetrieveMemoryEvent> {
  for await (const message of events) {
    if (message.event.case === 'retrievedItem') outcome.results += 1;
    if (message.event.case === 'abstractReply') outcome.isAnswered = true;
    yield message;
  }
}

/** The LLM that answers when none is named. Throws where there is none, or more than one to choose from. */
async function defaultLlm(client: Client): Promise<string> {
  const { llms } = await client.call(LLMService.method.listLLMs, {});
  const labeled = llms.filter(({ labels }) => labels.default === 'true');
  const [first, ...others] = labeled.length > 0 ? labeled : llms;
  if (first === undefined) {
    throw new CommandError('There is no LLM to answer', {
      code: 'NOT_FOUND',
      exit: EXIT.noInput,
      next: 'Register one: svc llms create --help. Or see what is there without one: svc retrieve',
    });
  }
  if (others.length === 0) return first.llmId;
  const names = [first, ...others].map(({ displayName }) => oneLine(displayName)).join(', ');
  throw usageError('Several LLMs could answer: choose one with --llm', {
    details: `there are ${names}`,
    next: 'Or label one of them: svc llms update NAME --merge-labels default=true',
  });
}
