import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import type { EmbedderRegistry } from '../../providers/embedders/registry.ts';
import { ProviderError } from '../../providers/errors.ts';
import type { EmbedderLoader } from '../embedders/load-embedders.ts';
import { type StatusCode, statusEvent } from './events.ts';
import type { SpacePlan } from './plan.ts';

/** The question as each embedder sees it, and what to say about those that could not. */
export interface QueryVectors {
  vectors: ReadonlyMap<string, Float32Array>;
  statuses: RetrieveMemoryEvent[];
}

export interface QueryVectorDeps {
  registry: EmbedderRegistry;
  loadEmbedders: EmbedderLoader['loadEmbedders'];
}

/** Embeds the message once per embedder of the plan, all at the same time. Failures become status events. */
export async function embedQuery(
  deps: QueryVectorDeps,
  message: string,
  plan: readonly SpacePlan[],
  { signal, log }: Pick<CallContext, 'signal' | 'log'>,
): Promise<QueryVectors> {
  const ids = [...new Set(plan.flatMap((space) => space.embedders.map(({ embedderId }) => embedderId)))];
  const records = await deps.loadEmbedders(ids, signal);
  const outcomes = await Promise.allSettled(
    records.map(async (record) => {
      const [vector] = await deps.registry.client(record).embed([message], { inputType: 'query', signal });
      if (vector === undefined) throw new Error(`embedder ${record.id} gave no vector`);
      return vector;
    }),
  );
  signal.throwIfAborted();
  const vectors = new Map<string, Float32Array>();
  const failures: Failure[] = [];
  outcomes.forEach((outcome, index) => {
    const embedderId = ids[index] ?? '';
    const provider = records[index]?.providerType ?? '';
    if (outcome.status === 'fulfilled') vectors.set(embedderId, outcome.value);
    else if (outcome.reason instanceof ProviderError) failures.push({ embedderId, provider, error: outcome.reason });
    else {
      log.error({ err: outcome.reason, embedderId }, 'embedding a question failed');
      failures.push({ embedderId, provider, error: new ProviderError('invalid_response', 'The embedder failed') });
    }
  });
  return { vectors, statuses: failureStatuses(failures, vectors.size, plan) };
}

const CODES: Partial<Record<ProviderError['reason'], StatusCode>> = {
  timeout: 'EMBEDDER_TIMEOUT',
  unavailable: 'EMBEDDER_UNAVAILABLE',
  server_error: 'EMBEDDER_UNAVAILABLE',
  configuration: 'CONFIGURATION_ERROR',
  rate_limited: 'RATE_LIMITED',
};

type Failure = { embedderId: string; provider: string; error: ProviderError };

function failureStatuses(
  failures: readonly Failure[],
  working: number,
  plan: readonly SpacePlan[],
): RetrieveMemoryEvent[] {
  if (failures.length === 0) return [];
  const embedderIds = failures.map(({ embedderId }) => embedderId);
  const ids = embedderIds.join(',');
  const causes = failures.flatMap((failure) => {
    const { error } = failure;
    const code = error.spent ? 'RESOURCE_EXHAUSTED' : CODES[error.reason];
    return code === undefined ? [] : [statusEvent(code, error.message, detailsOf(code, failure))];
  });
  if (working === 0) {
    const message = `Every embedder failed: ${failures.map(({ error }) => error.message).join('; ')}`;
    return [...causes, statusEvent('EMBEDDER_FAILED', message, { embedder_ids: ids })];
  }
  const spaces = plan.filter((space) => space.embedders.some(({ embedderId }) => embedderIds.includes(embedderId)));
  const details = { embedder_ids: ids, space_ids: spaces.map(({ spaceId }) => spaceId).join(',') };
  return [...causes, statusEvent('PARTIAL_RESULTS', 'Some embedders failed; the others answered', details)];
}

function detailsOf(code: StatusCode, { embedderId, provider, error }: Failure): Record<string, string> {
  if (code === 'CONFIGURATION_ERROR') return { resource_id: embedderId };
  if (code !== 'RATE_LIMITED' && code !== 'RESOURCE_EXHAUSTED') return { embedder_id: embedderId };
  const retryAfter = error.retryAfterMs === undefined ? '' : String(Math.ceil(error.retryAfterMs / 1000));
  return { provider, retry_after: retryAfter };
}
