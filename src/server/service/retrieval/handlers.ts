import type { RetrieveMemoryEvent, RetrieveMemoryRequest } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import type { Handlers } from '../handlers.ts';
import { newId } from '../resource-ids.ts';
import { type Candidates, findCandidates } from './candidates.ts';
import { beginEvent, endEvent, isStatusCode } from './events.ts';
import { explain } from './explain.ts';
import { itemEvents } from './item-events.ts';
import type { RetrievalObserver } from './observer.ts';
import { hnswSettings, planRetrieval, type RetrievalPlan } from './plan.ts';
import type { LoadResults, PostProcessing, Processed, ProcessedCall } from './post-processing.ts';
import { type PostProcessorDeps, postProcessorOf } from './post-processor.ts';
import { embedQuery, type QueryVectorDeps } from './query-vectors.ts';
import { loadResults } from './results.ts';
import { StageTimes } from './stage-times.ts';

export interface RetrieveDeps extends QueryVectorDeps, PostProcessorDeps {
  db: Db;
  observe?: RetrievalObserver | undefined;
}

export function createRetrieveHandlers(deps: RetrieveDeps): Pick<Handlers, 'retrieveMemory'> {
  return { retrieveMemory: (request, context) => observed(retrieve(deps, request, context), deps.observe) };
}

async function* observed(
  events: AsyncIterable<RetrieveMemoryEvent>,
  observe: RetrievalObserver | undefined,
): AsyncIterable<RetrieveMemoryEvent> {
  for await (const message of events) {
    // Codes that post processors of others make up do not count: nobody knows how many there are.
    if (message.event.case === 'status' && isStatusCode(message.event.value.code)) {
      observe?.statusSent(message.event.value.code);
    }
    yield message;
  }
}

/**
 * One retrieval as a stream: remarks, BEGIN, each memory before its first item, END, and what the post processor has to
 * say about it all. Everything that can be wrong with the request is found before the first event.
 */
async function* retrieve(
  deps: RetrieveDeps,
  request: RetrieveMemoryRequest,
  context: CallContext,
): AsyncIterable<RetrieveMemoryEvent> {
  const prepare = postProcessorOf(deps, request);
  const plan = await planRetrieval(deps.db, request, context);
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
    // Whoever reads has every item before anybody is asked about them.
    if (conclude !== undefined) yield* conclude(resultSetId);
    if (request.explain) yield explain(plan.spaces, answer.candidates, stages);
  } finally {
    processing?.end?.();
    report(deps, call);
  }
}

/** Tells the observer of the stages that have ended. One that its caller cut short says nothing about the server. */
function report({ observe }: RetrieveDeps, { context, stages }: ProcessedCall): void {
  if (!context.signal.aborted && observe !== undefined) stages.report(observe);
}

interface Question {
  plan: RetrievalPlan;
  processing: PostProcessing;
  call: ProcessedCall;
}

interface Answer {
  candidates: Candidates;
  processed: Processed;
  /** Before the results, in their order. */
  statuses: RetrieveMemoryEvent[];
}

async function findAnswer(deps: RetrieveDeps, { plan, processing, call }: Question): Promise<Answer> {
  const { request, context, stages } = call;
  const query = await stages.run('embed', () => embedQuery(deps, request.message, plan, context));
  if (query.statuses.length > 0) stages.fail('embed');
  const candidates = await findCandidates(deps.db, {
    plan: plan.spaces,
    vectors: query.vectors,
    hnsw: hnswSettings(request),
    size: processing.candidates,
    maxPerMemory: request.maxPerMemory,
    explain: request.explain,
    stages,
    signal: context.signal,
    log: context.log,
  });
  const load: LoadResults = (chunks, { memories = false } = {}) =>
    stages.run('load', () => loadResults(deps.db, chunks, { request, context, memories }));
  const processed = await processing.process(candidates.chunks, load);
  const statuses = [query.statuses, candidates.statuses, processed.statuses, processed.results.statuses].flat();
  return { candidates, processed, statuses };
}
