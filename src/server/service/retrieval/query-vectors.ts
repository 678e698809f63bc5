import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import type { EmbedderRegistry } from '../../providers/embedders/registry.ts';
import type { EmbedderRecord } from '../../providers/embedders/types.ts';
import { ProviderError } from '../../providers/errors.ts';
import type { EmbedderLoader } from '../embedders/load-embedders.ts';
import { type StatusCode, statusEvent } from './events.ts';
import type { RetrievalPlan, SpacePlan } from './plan.ts';
import { causeStatuses, type ProviderFailure } from './provider-statuses.ts';

/** The question as each embedder sees it, and what to say about those that could not. */
export interface QueryVectors {
  vectors: ReadonlyMap<string, Float32Array>;
  statuses: RetrieveMemoryEvent[];
}

export interface QueryVectorDeps {
  registry: EmbedderRegistry;
  embedderRecord: EmbedderLoader['record'];
  /** Bound of one call to a provider in milliseconds. */
  providerTimeoutMs: number;
}

/** Embeds the message once per embedder that counts, all at the same time. Failures become status events. */
export async function embedQuery(
  deps: QueryVectorDeps,
  message: string,
  { spaces, embedders }: RetrievalPlan,
  { signal, log }: Pick<CallContext, 'signal' | 'log'>,
): Promise<QueryVectors> {
  const ids = new Set(spaces.flatMap((space) => space.embedders.map(({ embedderId }) => embedderId)));
  const records = [...embedders.values()].filter(({ id }) => ids.has(id)).map(deps.embedderRecord);
  const outcomes = await embedAll(deps, message, records, signal);
  signal.throwIfAborted();
  const vectors = new Map<string, Float32Array>();
  const failures: ProviderFailure[] = [];
  outcomes.forEach((outcome, index) => {
    const { id: resourceId = '', providerType: provider = '' } = records[index] ?? {};
    if (outcome.status === 'fulfilled') vectors.set(resourceId, outcome.value);
    else if (outcome.reason instanceof ProviderError) failures.push({ resourceId, provider, error: outcome.reason });
    else {
      log.error({ err: outcome.reason, embedderId: resourceId }, 'embedding a question failed');
      failures.push({ resourceId, provider, error: new ProviderError('invalid_response', 'The embedder failed') });
    }
  });
  return { vectors, statuses: failureStatuses(failures, vectors.size, spaces) };
}

/** Waits for every embedder, each up to the bound of a call. */
async function embedAll(
  { registry, providerTimeoutMs }: QueryVectorDeps,
  message: string,
  records: readonly EmbedderRecord[],
  signal: AbortSignal,
): Promise<PromiseSettledResult<Float32Array>[]> {
  const deadlineMs = Date.now() + providerTimeoutMs;
  const embed = async (record: EmbedderRecord): Promise<Float32Array> => {
    const options = { inputType: 'query', signal, deadlineMs } as const;
    const [vector] = await registry.client(record).embed([message], options);
    if (vector === undefined) throw new Error(`embedder ${record.id} gave no vector`);
    return vector;
  };
  return await Promise.allSettled(records.map(embed));
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
