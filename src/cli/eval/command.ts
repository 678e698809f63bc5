import { mapBounded } from '../../shared/async/map-bounded.ts';
import { EXIT } from '../../shared/exit-codes.ts';
import type { Status } from '../../shared/gen/service/v1/common_pb.ts';
import { MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import { ResultSetBoundary_Kind as BoundaryKind } from '../../shared/gen/service/v1/retrieve_pb.ts';
import { Gate, pauseText } from '../kit/bulk/gate.ts';
import type { Client } from '../kit/client/client.ts';
import { type Positional, required, SPACE } from '../kit/command.ts';
import { loneCommand } from '../kit/define-command.ts';
import { CommandError, partialError } from '../kit/errors.ts';
import { integer } from '../kit/flags/kinds.ts';
import { inputName } from '../kit/input/read-input.ts';
import { resolveSpace } from '../kit/naming/spaces.ts';
import { readQuestions } from './questions.ts';
import { EvalReport, scoreOf } from './report.ts';

const DEFAULT_K = 10;
/** The most results of one retrieval. */
const MOST_K = 1000;
/** Enough to keep a server busy, few enough to leave it to others too. */
const AT_ONCE = 4;

const FILE: Positional<string> = {
  ...required('file', 'Lines of {"question":"…","memoryIds":["…"]}, - for stdin'),
  completes: 'files',
};

export const evaluate = loneCommand({
  notes: [
    'Each question is retrieved, and the first k memories are compared with the ones that ought to be found.',
    'recall@k: the share of them that was found, averaged over the questions. MRR: the mean of 1 / rank of the first one found, 0 where none was.',
    'In the JSON forms the totals come last.',
  ].join('\n\n'),
  args: { space: SPACE, file: FILE },
  flags: {
    k: integer('-k <n>', `How many memories count for each question (default ${DEFAULT_K})`, { min: 1, max: MOST_K }),
  },
  examples: [
    'eval house questions.ndjson',
    'eval house questions.ndjson -k 3 -o json',
    "eval house questions.ndjson -o ndjson | jq 'select(.hits == 0)'",
  ],
  async run({ io, client, signal }, { args, flags }) {
    const k = flags.k ?? DEFAULT_K;
    const questions = await readQuestions(io, args.file, signal);
    if (questions.length === 0) throw noQuestions(args.file);
    const server = await client();
    const spaceId = await resolveSpace(server, args.space);
    const report = new EvalReport(io, { k, total: questions.length });
    const gate = new Gate({ signal, onPause: (pause) => report.pause(pauseText(pause)), onResume: async () => {} });
    try {
      await mapBounded(numbered(questions), { limit: AT_ONCE, signal }, async ([index, question], ended) => {
        const ranked = await gate.run(() => rankedIds(server, question.question, { spaceId, k, signal: ended }), ended);
        await report.result(index, { question, score: scoreOf(ranked, question.memoryIds, k) });
      });
    } finally {
      await report.end();
    }
    return undefined;
  },
});

async function* numbered<T>(items: readonly T[]): AsyncGenerator<[index: number, item: T]> {
  yield* items.entries();
}

function noQuestions(file: string): CommandError {
  return new CommandError(`There are no questions in ${inputName(file)}`, {
    code: 'INVALID_ARGUMENT',
    exit: EXIT.badInput,
    next: 'Write one a line: {"question":"…","memoryIds":["…"]}; ids: svc memories list SPACE',
  });
}

interface AskOptions {
  spaceId: string;
  /** How many memories are wanted. */
  k: number;
  signal: AbortSignal;
}

const TIMEOUT_MS = 120_000;

/** Statuses after which the ranking is still that of every client. */
const HARMLESS: ReadonlySet<string> = new Set(['VECTOR_SEARCH_PARTIAL', 'CHUNK_NOT_FOUND', 'MEMORY_LOAD_FAILED']);

/**
 * Ids of the memories that a question finds, best first, each once.
 *
 * @throws CommandError when a part of the search failed: what was found then says nothing about the space.
 */
async function rankedIds(client: Client, question: string, { spaceId, k, signal }: AskOptions): Promise<string[]> {
  const request = {
    message: question,
    spaceKeys: [{ spaceId }],
    requestedSize: k,
    // Memories are counted and not chunks: without this, one long memory could fill all places.
    maxPerMemory: 1,
    fetchMemory: false,
  };
  const ids: string[] = [];
  let hasEnded = false;
  const events = client.stream(MemoryService.method.retrieveMemory, request, { signal, timeoutMs: TIMEOUT_MS });
  for await (const { event } of events) {
    if (event.case === 'status' && !HARMLESS.has(event.value.code)) throw failed(question, event.value);
    if (event.case === 'resultSetBoundary' && event.value.kind === BoundaryKind.END) hasEnded = true;
    if (event.case === 'retrievedItem' && event.value.item.case === 'chunk') ids.push(event.value.item.value.memoryId);
  }
  if (!hasEnded) throw partialError('The stream ended early');
  return ids;
}

function failed(question: string, { code, message }: Status): CommandError {
  return new CommandError(`The search failed for: ${question}`, {
    code,
    exit: EXIT.failed,
    details: `${message} (${code})`,
    next: 'See what is wrong: svc system doctor',
  });
}
