import type { Gate } from './db.ts';
import { abortError } from './errors.ts';

/** A counting semaphore, first come first served. `places` is the number of functions that run at once. */
export function createGate(places: number): Gate {
  let free = places;
  const waiting: (() => void)[] = [];

  const enter = (signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted) {
        reject(abortError(signal));
        return;
      }
      if (free > 0) {
        free -= 1;
        resolve();
        return;
      }
      const admit = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(admit), 1);
        if (signal !== undefined) reject(abortError(signal));
      };
      waiting.push(admit);
      signal?.addEventListener('abort', leave, { once: true });
    });

  const exit = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };

  return {
    async run(fn, signal) {
      await enter(signal);
      try {
        return await fn();
      } finally {
        exit();
      }
    },
  };
}
