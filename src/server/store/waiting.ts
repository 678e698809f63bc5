import { waitFor } from '../../shared/async/deadline.ts';
import { Semaphore } from '../../shared/async/semaphore.ts';
import { sleep } from '../../shared/async/timer.ts';
import type { CallOptions, Gate } from './db.ts';
import { abortError, deadlineExceeded } from './errors.ts';

/**
 * Waits for `work`, at most until the signal aborts or `timeoutMs` is over. Then `stop` is called and the wait rejects at
 * once with the ServiceError that this stands for, whatever `work` does afterwards.
 */
export function bounded<T>(work: Promise<T>, { signal, timeoutMs }: CallOptions, stop: () => void): Promise<T> {
  return waitFor(work, { signal, timeoutMs, late: deadlineExceeded, left: abortError }, stop);
}

/** Waits `ms` milliseconds; rejects with the ServiceError that the signal stands for as soon as it aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return sleep(ms, signal).catch((error: unknown) => {
    throw signal === undefined ? error : abortError(signal);
  });
}

/** Lets `places` functions run at once, first come first served. */
export function createGate(places: number): Gate {
  const semaphore = new Semaphore(places, { call: places });

  const enter = (options: CallOptions): Promise<() => void> => {
    const leaving = new AbortController();
    const entering = semaphore.acquire('call', leaving.signal);
    return bounded(entering, options, () => {
      leaving.abort();
      // Admitted in the same moment: the place goes back.
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
      const exit = await enter(options);
      try {
        return await fn(leftOf(options, began));
      } finally {
        exit();
      }
    },
  };
}

function leftOf(options: CallOptions, began: number): CallOptions {
  if (options.timeoutMs === undefined) return options;
  const timeoutMs = options.timeoutMs - (performance.now() - began);
  if (timeoutMs <= 0) throw deadlineExceeded();
  return { ...options, timeoutMs };
}
