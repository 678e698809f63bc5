import { bounded } from './bounded.ts';
import type { CallOptions, Gate } from './db.ts';
import { abortError, deadlineExceeded } from './errors.ts';

/** A counting semaphore, first come first served. `places` is the number of functions that run at once. */
export function createGate(places: number): Gate {
  let free = places;
  const waiting: (() => void)[] = [];

  const exit = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };

  const enter = async (options: CallOptions) => {
    if (options.signal?.aborted) throw abortError(options.signal);
    if (free > 0) {
      free -= 1;
      return;
    }
    let admit = () => {};
    const admitted = new Promise<void>((resolve) => {
      admit = resolve;
    });
    waiting.push(admit);
    await bounded(admitted, options, () => {
      const at = waiting.indexOf(admit);
      if (at >= 0) waiting.splice(at, 1);
      // Admitted in the same moment.
      else exit();
    });
  };

  return {
    async run(fn, options = {}) {
      const began = performance.now();
      await enter(options);
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
