import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { ProviderError } from '../../providers/errors.ts';
import { statusEvent } from './events.ts';

/** A call to a provider that failed during a retrieval. */
export interface ProviderFailure {
  /** The embedder, reranker or LLM. */
  resourceId: string;
  /** Its provider type. */
  provider: string;
  error: ProviderError;
}

/** What is said before the status of the failed step, where its cause is one that people can do something about. */
export function causeStatuses({ resourceId, provider, error }: ProviderFailure): RetrieveMemoryEvent[] {
  if (error.reason === 'configuration') {
    return [statusEvent('CONFIGURATION_ERROR', error.message, { resource_id: resourceId })];
  }
  if (error.reason !== 'rate_limited' && !error.spent) return [];
  const retryAfter = error.retryAfterMs === undefined ? '' : String(Math.ceil(error.retryAfterMs / 1000));
  const code = error.spent ? 'RESOURCE_EXHAUSTED' : 'RATE_LIMITED';
  return [statusEvent(code, error.message, { provider, retry_after: retryAfter })];
}
