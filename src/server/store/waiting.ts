import { waitFor } from '../../shared/async/deadline.ts';
import { Semaphore } from '../../shared/async/semaphore.ts';
import { sleep } from '../../shared/async/timer.ts';
import type { CallSemaphore, StatementOptions } from './db.ts';
import { abortError, deadlineExceeded } from './errors.ts';

/**
 * Waits for `work` until the signal aborts or `timeoutMs` has passed. Then it calls `stop` and rejects at once with the
 * ServiceError of the abort or timeout, whatever `work` does afterwards.
 */
export function withinBounds<T>(
  work: Promise<T>,
  { signal, timeoutMs }: StatementOptions,
  stop?: () => void,
): Promise<T> {
  return waitFor(work, { signal, timeoutMs, timeoutReason: deadlineExceeded, abortReason: abortError }, stop);
}

/** Waits `ms` milliseconds; rejects with the ServiceError of the abort as soon as the signal aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return sleep(ms, signal).catch((error: unknown) => {
    throw signal === undefined ? error : abortError(signal);
  });
}

/** Lets at most `permits` functions run at once, first come first served. */
export function createCallSemaphore(permits: number): CallSemaphore {
  const semaphore = new Semaphore(permits, { call: permits });

  const enter = (options: StatementOptions): Promise<() => void> => {
    const leaving = new AbortController();
    const entering = semaphore.acquire('call', leaving.signal);
    return withinBounds(entering, options, () => {
      leaving.abort();
      // Admitted at the moment of the abort: give the permit back.
      entering.then(
        (exit) => exit(),
        () => undefined,
      );
    });
  };

  return {
    async run(fn, options = {}) {
      const began = performance.now();
      if (options.signal?.aborted) throw abortError(options.signal);
      const exit = semaphore.take('call') ?? (await enter(options));
      try {
        return await fn(leftOf(options, began));
      } finally {
        exit();
      }
    },
  };
}

function leftOf(options: StatementOptions, began: number): StatementOptions {
  if (options.timeoutMs === undefined) return options;
  const timeoutMs = options.timeoutMs - (performance.now() - began);
  if (timeoutMs <= 0) throw deadlineExceeded();
  return { ...options, timeoutMs };
}
