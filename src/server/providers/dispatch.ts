import type { Dispatcher } from 'undici';
import { unlessAborted } from '../../shared/async/abort.ts';

/**
 * As `dispatcher.request`, but ends with its signal at any time. The HTTP client itself looks at the signal only once the
 * request has a connection: while all of them are taken, or one is being opened, it would wait beyond every bound.
 */
export function dispatch(
  dispatcher: Dispatcher,
  request: Dispatcher.RequestOptions & { signal: AbortSignal },
): Promise<Dispatcher.ResponseData> {
  return unlessAborted(dispatcher.request(request), request.signal);
}
