import { ProviderError } from './errors.ts';

/**
 * Runs `work` under a controller whose signal ends with the caller's and at the deadline (epoch milliseconds, as a
 * `timeout`). `work` must not leave anything running when it settles.
 */
export async function withDeadline<T>(
  options: { signal: AbortSignal; deadlineMs?: number | undefined; peer: string },
  work: (scope: AbortController) => Promise<T>,
): Promise<T> {
  options.signal.throwIfAborted();
  const scope = new AbortController();
  const stop = () => scope.abort(options.signal.reason);
  const late = () => scope.abort(new ProviderError('timeout', `${options.peer} did not answer before the deadline`));
  options.signal.addEventListener('abort', stop, { once: true });
  let timer: NodeJS.Timeout | undefined;
  if (options.deadlineMs !== undefined) {
    const left = options.deadlineMs - Date.now();
    if (left <= 0) late();
    // Node fires a timer beyond 2^31 ms at once.
    else timer = setTimeout(late, Math.min(left, 2 ** 31 - 1));
  }
  try {
    scope.signal.throwIfAborted();
    return await work(scope);
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', stop);
  }
}
