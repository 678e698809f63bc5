import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import { StaleError } from '../../context.ts';
import { type Candidates, findCandidates } from './candidates.ts';
import { hnswSettings, type PlanDeps, planRetrieval, type RetrievalPlan, type SpacePlan } from './plan.ts';
import type { PostProcessing, ProcessedCall } from './post-processing.ts';
import { embedQuery, type QueryVectorDeps, type QueryVectors } from './query-vectors.ts';

export type SearchDeps = PlanDeps & QueryVectorDeps;

export interface PlannedCall {
  plan: RetrievalPlan;
  processing: PostProcessing;
  call: ProcessedCall;
}

export interface Found {
  candidates: Candidates;
  /** The searches, as they were planned in the end. */
  spaces: readonly SpacePlan[];
  /** The events before the results, in order. */
  statuses: RetrieveMemoryEvent[];
}

/** Plans beyond which a space that changes all the time is searched as it was read. */
const MAX_STALE_PLANS = 3;

/** Searches; when a space is not as it was planned, again with a new plan. */
export async function findCurrent(deps: SearchDeps, planned: PlannedCall): Promise<Found> {
  const { request, context } = planned.call;
  const proved = new Set<string>();
  const asked: Asked = { embedders: new Map(), query: undefined };
  let { plan } = planned;
  for (let stale = 1; ; stale += 1) {
    try {
      return await find(deps, { ...planned, plan }, asked);
    } catch (error) {
      if (!(error instanceof StaleError) || error.what !== 'space') throw error;
      for (const id of plan.premises.proved) proved.add(id);
      plan.premises.forget();
      plan = await planRetrieval(deps, request, context, proved);
      if (stale === MAX_STALE_PLANS) plan.premises.trust();
    }
  }
}

/** The vectors of the question. */
interface Asked {
  /** When each of the embedders that were asked was last changed. */
  embedders: ReadonlyMap<string, number | undefined>;
  query: QueryVectors | undefined;
}

async function find(deps: SearchDeps, planned: PlannedCall, asked: Asked): Promise<Found> {
  const { plan, processing, call } = planned;
  const { request, context, stages } = call;
  const { premises } = plan;
  const query = await questionVectors(deps, planned, asked);
  const candidates = await findCandidates(deps.db, {
    plan: plan.spaces,
    vectors: query.vectors,
    hnsw: hnswSettings(request),
    size: processing.candidates,
    maxPerMemory: request.maxPerMemory,
    memories: processing.isImmediate === true && request.fetchMemory !== false,
    explain: request.explain,
    stages,
    guardsOf: (spaceId) => premises.guardsOf(spaceId),
    signal: context.signal,
    log: context.log,
  });
  await premises.settle();
  return { candidates, spaces: plan.spaces, statuses: [...query.statuses, ...plan.lost, ...candidates.statuses] };
}

/** Embeds the question, or takes the vectors of an earlier attempt where no embedder has changed since. */
async function questionVectors(deps: SearchDeps, { plan, call }: PlannedCall, asked: Asked): Promise<QueryVectors> {
  const { request, context, stages } = call;
  const wanted = new Set(plan.spaces.flatMap(({ embedders }) => embedders.map(({ embedderId }) => embedderId)));
  const isAsked = (id: string) => asked.embedders.get(id) === plan.embedders.get(id)?.updatedAt;
  if (asked.query !== undefined && [...wanted].every(isAsked)) return asked.query;
  // Nothing is sent to a provider that may have been replaced, nor for a key that may have been deleted.
  if (plan.premises.isUnproved && !isInProcess(plan)) await plan.premises.settle();
  const query = await stages.run('embed', () => embedQuery(deps, request.message, plan, context));
  if (query.statuses.length > 0) stages.fail('embed');
  asked.embedders = new Map([...wanted].map((id) => [id, plan.embedders.get(id)?.updatedAt]));
  asked.query = query;
  return query;
}

/** Whether the question goes to no provider. */
function isInProcess({ embedders }: RetrievalPlan): boolean {
  return [...embedders.values()].every(({ providerType }) => providerType === 'BUILTIN');
}
