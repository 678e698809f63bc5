import { startTimer } from './timer.ts';

/** Resolves after `ms` milliseconds of any length. Rejects with the reason of the signal as soon as that aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      timer.clear();
      reject(signal?.reason);
    };
    const timer = startTimer(ms, () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    });
    if (signal?.aborted === true) leave();
    else signal?.addEventListener('abort', leave, { once: true });
  });
}
