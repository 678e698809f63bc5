import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import { ProviderError } from '../../providers/errors.ts';
import type { TargetRecord } from '../../providers/target.ts';
import { statusEvent } from './events.ts';

/** A call to a provider that failed during a retrieval. */
export interface ProviderFailure {
  /** The embedder, reranker or LLM. */
  resourceId: string;
  /** Its provider type. */
  provider: string;
  error: ProviderError;
}

/** The statuses before that of the failed step, for causes that users can fix: configuration, rate limit, quota. */
export function causeStatuses({ resourceId, provider, error }: ProviderFailure): RetrieveMemoryEvent[] {
  if (error.reason === 'configuration') {
    return [statusEvent('CONFIGURATION_ERROR', error.message, { resource_id: resourceId })];
  }
  if (error.reason !== 'rate_limited' && !error.spent) return [];
  const retryAfter = error.retryAfterMs === undefined ? '' : String(Math.ceil(error.retryAfterMs / 1000));
  const code = error.spent ? 'RESOURCE_EXHAUSTED' : 'RATE_LIMITED';
  return [statusEvent(code, error.message, { provider, retry_after: retryAfter })];
}

/**
 * The failure that an error of a provider call means for the stream. Any other error than a ProviderError is logged and
 * replaced by a general one. Throws the reason of the signal after a client abort.
 */
export function stepFailure(
  error: unknown,
  what: string,
  { id, providerType: provider }: Pick<TargetRecord, 'id' | 'providerType'>,
  { signal, log }: Pick<CallContext, 'signal' | 'log'>,
): ProviderFailure {
  signal.throwIfAborted();
  if (error instanceof ProviderError) return { resourceId: id, provider, error };
  log.error({ err: error, resourceId: id }, what);
  return { resourceId: id, provider, error: new ProviderError('invalid_response', 'The provider could not be called') };
}
