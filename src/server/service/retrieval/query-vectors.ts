import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import { ProviderError } from '../../providers/errors.ts';
import { embedderKind } from '../targets/kinds.ts';
import type { OpenEmbedder, TargetOpener } from '../targets/open-target.ts';
import { type StatusCode, statusEvent } from './events.ts';
import type { RetrievalPlan, SpacePlan } from './plan.ts';
import { causeStatuses, type ProviderFailure } from './provider-statuses.ts';

/** The vector of the query by each embedder, and the statuses of the embedders that failed. */
export interface QueryVectors {
  vectors: ReadonlyMap<string, Float32Array>;
  statuses: RetrieveMemoryEvent[];
}

export interface QueryVectorDeps {
  targets: TargetOpener;
  /** Timeout of one call to a provider in milliseconds. */
  providerTimeoutMs: number;
}

/** Embeds the message with each embedder that has a weight, concurrently. Failures become status events. */
export async function embedQuery(
  deps: QueryVectorDeps,
  message: string,
  { spaces, embedders }: Pick<RetrievalPlan, 'spaces' | 'embedders'>,
  { signal, log }: Pick<CallContext, 'signal' | 'log'>,
): Promise<QueryVectors> {
  const ids = new Set(spaces.flatMap((space) => space.embedders.map(({ embedderId }) => embedderId)));
  const rows = [...embedders.values()].filter(({ id }) => ids.has(id));
  const asked = rows.map((row) => deps.targets.ofRow(embedderKind, row));
  const outcomes = await embedAll(asked, message, Date.now() + deps.providerTimeoutMs, signal);
  signal.throwIfAborted();
  const vectors = new Map<string, Float32Array>();
  const failures: ProviderFailure[] = [];
  outcomes.forEach((outcome, index) => {
    const { id: resourceId = '', providerType: provider = '' } = rows[index] ?? {};
    if (outcome.status === 'fulfilled') vectors.set(resourceId, outcome.value);
    else if (outcome.reason instanceof ProviderError) failures.push({ resourceId, provider, error: outcome.reason });
    else {
      log.error({ err: outcome.reason, embedderId: resourceId }, 'embedding a query failed');
      failures.push({ resourceId, provider, error: new ProviderError('invalid_response', 'The embedder failed') });
    }
  });
  return { vectors, statuses: failureStatuses(failures, vectors.size, spaces) };
}

/** Waits for every embedder, each up to the timeout of a call. */
async function embedAll(
  embedders: readonly OpenEmbedder[],
  message: string,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<PromiseSettledResult<Float32Array>[]> {
  const embed = async ({ record, client }: OpenEmbedder): Promise<Float32Array> => {
    const options = { inputType: 'query', signal, deadlineMs } as const;
    const [vector] = await client().embed([message], options);
    if (vector === undefined) throw new Error(`embedder ${record.id} returned no vector`);
    return vector;
  };
  return await Promise.allSettled(embedders.map(embed));
}

const CODES: Partial<Record<ProviderError['reason'], StatusCode>> = {
  timeout: 'EMBEDDER_TIMEOUT',
  unavailable: 'EMBEDDER_UNAVAILABLE',
  server_error: 'EMBEDDER_UNAVAILABLE',
};

function failureStatuses(
  failures: readonly ProviderFailure[],
  working: number,
  plan: readonly SpacePlan[],
): RetrieveMemoryEvent[] {
  if (failures.length === 0) return [];
  const embedderIds = failures.map(({ resourceId }) => resourceId);
  const ids = embedderIds.join(',');
  const causes = failures.flatMap((failure) => [...causeStatuses(failure), ...embedderStatuses(failure)]);
  if (working === 0) {
    const message = `Every embedder failed: ${failures.map(({ error }) => error.message).join('; ')}`;
    return [...causes, statusEvent('EMBEDDER_FAILED', message, { embedder_ids: ids })];
  }
  const spaces = plan.filter((space) => space.embedders.some(({ embedderId }) => embedderIds.includes(embedderId)));
  const details = { embedder_ids: ids, space_ids: spaces.map(({ spaceId }) => spaceId).join(',') };
  return [...causes, statusEvent('PARTIAL_RESULTS', 'Some embedders failed; the others answered', details)];
}

function embedderStatuses({ resourceId, error }: ProviderFailure): RetrieveMemoryEvent[] {
  const code = CODES[error.reason];
  return code === undefined ? [] : [statusEvent(code, error.message, { embedder_id: resourceId })];
}
