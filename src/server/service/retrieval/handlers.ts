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
  return { retrieveMemory: (request, context) => retrieve(retrieval, request, context) };
}

type RetrievalDeps = RetrieveDeps & SearchDeps;

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
    for (const status of [...processing.statuses, ...answer.statuses]) yield counted(deps, status);
    yield beginEvent(resultSetId, stageName, results.items.length);
    // What is there already is yielded from here: every generator between costs a turn of the microtasks for each event.
    for (const event of itemEvents(results, request, resultSetId)) {
      if (request.fetchMemoryContent) yield* withContent(event, results, deps, context.signal);
      else yield event;
    }
    yield endEvent(resultSetId);
    // The client has all items before the LLM is called.
    if (conclude !== undefined) for await (const event of conclude(resultSetId)) yield counted(deps, event);
    if (request.explain) yield counted(deps, explain(answer.spaces, answer.candidates, stages));
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

/** The items, each memory before its first item if the request wants memories. */
function* itemEvents(
  { items, memories }: Results,
  { fetchMemory }: RetrieveMemoryRequest,
  resultSetId: string,
): Iterable<RetrieveMemoryEvent> {
  const indexes = new Map<string, number>();
  for (const { memoryId, item, score } of items) {
    const known = indexes.get(memoryId);
    const memoryIndex = known ?? indexes.size;
    if (known === undefined) {
      indexes.set(memoryId, memoryIndex);
      const memory = fetchMemory === false ? undefined : memories.get(memoryId);
      if (memory !== undefined) yield memoryEvent(memory);
    }
    yield itemEvent({ item, memoryIndex, relevanceScore: score, resultSetId });
  }
}

/** An event, and if it is that of a memory, with its content. */
async function* withContent(
  message: RetrieveMemoryEvent,
  { rows }: Results,
  deps: RetrieveDeps,
  signal: AbortSignal,
): AsyncIterable<RetrieveMemoryEvent> {
  const memory = message.event.case === 'memoryDefinition' ? message.event.value : undefined;
  const row = memory && rows.get(memory.memoryId);
  if (memory === undefined || row === undefined) {
    yield message;
    return;
  }
  let content: Uint8Array | undefined;
  try {
    content = await wholeContent(deps.db.main, row, signal);
  } catch {
    signal.throwIfAborted();
    const details = { memory_id: memory.memoryId };
    yield counted(
      deps,
      statusEvent('MEMORY_CONTENT_UNAVAILABLE', 'The content of a memory could not be read', details),
    );
  }
  yield content === undefined ? message : memoryEvent({ ...memory, originalContent: content });
}

/** An event of the stream, counted if it is a status. */
function counted({ observe }: RetrieveDeps, message: RetrieveMemoryEvent): RetrieveMemoryEvent {
  // Codes of custom post processors are not counted: their number is unbounded, which metric labels must not be.
  if (message.event.case === 'status' && isStatusCode(message.event.value.code)) {
    observe?.statusSent(message.event.value.code);
  }
  return message;
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
