import type { EventEmitter } from 'node:events';
import { startTimer } from './timer.ts';

/** Resolves as soon as the signal aborts, and never rejects. Without an abort it stays pending. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * The outcome of `work`, or a rejection with the reason of the signal as soon as that aborts. `work` then goes on
 * without being waited for, and its failure is ignored.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** A signal that aborts with the first of those given, and with its reason; those that are undefined do not count. */
export function firstOf(...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/**
 * A signal that aborts with the one given, or with a TimeoutError once `timeoutMs` milliseconds are over. It does not keep
 * the process alive. The timer stays until its time is over: what ends by itself and may wait for long is better run by
 * `withDeadline`, which stops the clock.
 */
export function withTimeout(signal: AbortSignal | undefined, timeoutMs: number): AbortSignal {
  const late = new AbortController();
  const fire = (): void => late.abort(new DOMException(`Not done within ${timeoutMs} ms`, 'TimeoutError'));
  startTimer(timeoutMs, fire, { keepsAlive: false });
  return firstOf(signal, late.signal);
}

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
