import type { EventEmitter } from 'node:events';

/** Back-pressure: waits for the `drain` event of a stream. Rejects with the signal's reason. */
export async function drained(writable: EventEmitter, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const finish = (error?: unknown) => {
      writable.off('drain', onDrain);
      signal.removeEventListener('abort', onAbort);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onDrain = () => finish();
    const onAbort = () => finish(signal.reason);
    writable.on('drain', onDrain);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
