import type { CallOptions } from './db.ts';
import { abortError, deadlineExceeded } from './errors.ts';

/** The longest delay that a Node timer can hold; anything above fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits for `work`, at most until the signal aborts or `timeoutMs` is over. Then `stop` is called and the wait rejects
 * at once, whatever `work` does afterwards. An answer that came while this process stood still is taken.
 */
export function bounded<T>(work: Promise<T>, options: CallOptions, stop: () => void): Promise<T> {
  const { signal, timeoutMs } = options;
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let late: NodeJS.Immediate | undefined;
    const done = () => {
      clearTimeout(timer);
      clearImmediate(late);
      signal?.removeEventListener('abort', onAbort);
    };
    const giveUp = (error: Error) => {
      done();
      stop();
      reject(error);
    };
    const onAbort = () => {
      if (signal !== undefined) giveUp(abortError(signal));
    };
    if (timeoutMs !== undefined) {
      // After a stop of the process, or a long turn of the loop, timers come before the answers that have long been here.
      const onTime = () => {
        late = setImmediate(() => giveUp(deadlineExceeded()));
      };
      timer = setTimeout(onTime, Math.min(timeoutMs, LONGEST_TIMER_MS));
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    work.then(
      (value) => {
        done();
        resolve(value);
      },
      (error: unknown) => {
        done();
        reject(error);
      },
    );
    if (signal?.aborted) onAbort();
  });
}
