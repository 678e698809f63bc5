import type { CallContext } from '../../context.ts';
import { ProviderError } from '../../providers/errors.ts';
import type { TargetRecord } from '../../providers/target.ts';
import type { ProviderFailure } from './provider-statuses.ts';

/**
 * What an error of a call to a provider means for the stream: anything but the provider's own failures is logged, and
 * told without its words. Throws the reason of the signal when the caller has left.
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
