import { invalidFields } from '../../../shared/errors.ts';
import type { RetrieveMemoryEvent, RetrieveMemoryRequest } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import type { Handlers } from '../handlers.ts';
import { wholeContent } from '../memories/content-source.ts';
import { type CustomDeps, prepareCustom } from '../post-processors/custom-post-processor.ts';
import { newId } from '../resources.ts';
import type { Candidates } from './candidates.ts';
import { CHAT_NAME } from './chat-config.ts';
import { type ChatDeps, prepareChat } from './chat-post-processor.ts';
import { beginEvent, endEvent, isStatusCode, itemEvent, memoryEvent, statusEvent } from './events.ts';
import { type Found, findCurrent, type PlannedCall, type SearchDeps } from './find-current.ts';
import { planRetrieval, type SpacePlan } from './plan.ts';
import type { LoadResults, PostProcessing, Processed, ProcessedCall } from './post-processing.ts';
import { learnedSpaces } from './premises.ts';
import type { QueryVectorDeps } from './query-vectors.ts';
import { loadResults, type Results } from './results.ts';
import { type RetrievalObserver, type RetrievalStage, StageTimes } from './stage-times.ts';

interface RetrieveDeps extends QueryVectorDeps, PostProcessorDeps {
  db: Db;
  observe?: RetrievalObserver | undefined;
}

export function createRetrieveHandlers(deps: RetrieveDeps): Pick<Handlers, 'retrieveMemory'> {
  const retrieval = { ...deps, learned: learnedSpaces() };
  return { retrieveMemory: (request, context) => observed(retrieve(retrieval, request, context), deps.observe) };
}

type RetrievalDeps = RetrieveDeps & SearchDeps;

async function* observed(
  events: AsyncIterable<RetrieveMemoryEvent>,
  observe: RetrievalObserver | undefined,
): AsyncIterable<RetrieveMemoryEvent> {
  for await (const message of events) {
    // Codes of custom post processors are not counted: their number is unbounded, which metric labels must not be.
    if (message.event.case === 'status' && isStatusCode(message.event.value.code)) {
      observe?.statusSent(message.event.value.code);
    }
    yield message;
  }
}

/**
 * One retrieval as a stream: statuses, BEGIN, each memory before its first item, END, and the reply of the post processor.
 * All errors of the request are found before the first event.
 */
async function* retrieve(
  deps: RetrievalDeps,
  request: RetrieveMemoryRequest,
  context: CallContext,
): AsyncIterable<RetrieveMemoryEvent> {
  const prepare = postProcessorOf(deps, request);
  // A post processor may act before anything is searched.
  if (request.postProcessor !== undefined) await context.premise?.settle(context.signal);
  const plan = await planRetrieval(deps, request, context);
  const stages = new StageTimes();
  const call: ProcessedCall = { request, context, stages };
  let processing: PostProcessing | undefined;
  try {
    processing = await prepare(call);
    const answer = await findAnswer(deps, { plan, processing, call });
    report(deps, call);
    const { results, stageName = 'vector_search', conclude } = answer.processed;
    const resultSetId = newId();
    yield* processing.statuses;
    yield* answer.statuses;
    yield beginEvent(resultSetId, stageName, results.items.length);
    yield* itemEvents(results, { db: deps.db, request, resultSetId, signal: context.signal });
    yield endEvent(resultSetId);
    // The client has all items before the LLM is called.
    if (conclude !== undefined) yield* conclude(resultSetId);
    if (request.explain) yield explain(answer.spaces, answer.candidates, stages);
  } finally {
    processing?.end?.();
    report(deps, call);
  }
}

/** Reports finished stages to the observer, unless the client aborted the call: that time says nothing about the server. */
function report({ observe }: RetrieveDeps, { context, stages }: ProcessedCall): void {
  if (!context.signal.aborted && observe !== undefined) stages.report(observe);
}

interface Answer extends Found {
  processed: Processed;
}

async function findAnswer(deps: RetrievalDeps, planned: PlannedCall): Promise<Answer> {
  const { processing, call } = planned;
  const { request, context, stages } = call;
  const found = await findCurrent(deps, planned);
  const { candidates } = found;
  const load: LoadResults = (chunks, { memories = false } = {}) =>
    stages.run('load', () => loadResults(deps.db, chunks, { request, context, memories, known: candidates.memories }));
  const processed = await processing.process(candidates.chunks, load);
  const statuses = [found.statuses, processed.statuses, processed.results.statuses].flat();
  return { ...found, processed, statuses };
}

const STAGES: Readonly<Record<string, RetrievalStage>> = {
  embedMs: 'embed',
  searchMs: 'vector_search',
  loadMs: 'load',
  rerankMs: 'rerank',
  summarizeMs: 'summarize',
};

/** The EXPLAIN status: times of the stages in milliseconds (0 for one that did not run), and how each space was scanned. */
function explain(plan: readonly SpacePlan[], candidates: Candidates, stages: StageTimes): RetrieveMemoryEvent {
  const times = Object.entries(STAGES).map(([name, stage]) => [name, stages.ms(stage).toFixed(2)]);
  const scans = plan.map(({ spaceId }) => [`space.${spaceId}`, candidates.scans.get(spaceId) ?? '']);
  return statusEvent('EXPLAIN', 'How the results were found', {
    ...Object.fromEntries(times),
    candidates: String(candidates.chunks.length),
    ...Object.fromEntries(scans),
  });
}

interface ItemOptions {
  db: Db;
  request: RetrieveMemoryRequest;
  resultSetId: string;
  signal: AbortSignal;
}

/** The items, each memory before its first item if the request wants memories. */
async function* itemEvents(results: Results, options: ItemOptions): AsyncIterable<RetrieveMemoryEvent> {
  const indexes = new Map<string, number>();
  for (const { memoryId, item, score } of results.items) {
    const known = indexes.get(memoryId);
    const memoryIndex = known ?? indexes.size;
    if (known === undefined) {
      indexes.set(memoryId, memoryIndex);
      if (options.request.fetchMemory !== false) yield* definition(memoryId, results, options);
    }
    yield itemEvent({ item, memoryIndex, relevanceScore: score, resultSetId: options.resultSetId });
  }
}

async function* definition(
  memoryId: string,
  { memories, rows }: Results,
  { db, request, signal }: ItemOptions,
): AsyncIterable<RetrieveMemoryEvent> {
  const memory = memories.get(memoryId);
  if (memory === undefined) return;
  const row = rows.get(memoryId);
  if (!request.fetchMemoryContent || row === undefined) {
    yield memoryEvent(memory);
    return;
  }
  let content: Uint8Array | undefined;
  try {
    content = await wholeContent(db.main, row, signal);
  } catch {
    signal.throwIfAborted();
    const details = { memory_id: memoryId };
    yield statusEvent('MEMORY_CONTENT_UNAVAILABLE', 'The content of a memory could not be read', details);
  }
  yield memoryEvent(content === undefined ? memory : { ...memory, originalContent: content });
}

type PostProcessorDeps = ChatDeps & CustomDeps;

const DEFAULT_SIZE = 20;
/** Prepares the post processing of a call. Throws INVALID_ARGUMENT for a config that a custom post processor refuses. */
type Prepare = (call: ProcessedCall) => Promise<PostProcessing>;

/** Finds the post processor that a request names. Throws INVALID_ARGUMENT for an unknown name. */
function postProcessorOf(deps: PostProcessorDeps, { postProcessor }: RetrieveMemoryRequest): Prepare {
  if (postProcessor === undefined) return preparePlain;
  const { name = CHAT_NAME, config = {} } = postProcessor;
  if (name.split('.').at(-1) === CHAT_NAME) return (call) => prepareChat(deps, config, call);
  const module = deps.postProcessors.get(name);
  if (module !== undefined) return (call) => prepareCustom(deps, { module, name, config }, call);
  throw invalidFields([{ path: 'postProcessor.name', problem: 'no post processor has this name' }]);
}

/** No post processing: the results as the search ranked them. */
async function preparePlain({ request: { requestedSize } }: ProcessedCall): Promise<PostProcessing> {
  const candidates = requestedSize === 0 ? DEFAULT_SIZE : requestedSize;
  return {
    candidates,
    isImmediate: true,
    statuses: [],
    process: async (found, load) => ({ results: await load(found.slice(0, candidates)), statuses: [] }),
  };
}
