import type { EventEmitter } from 'node:events';

/**
 * Calls `act` when the signal aborts, at once when it has. The returned function lets go of the signal, so that one which
 * lives long does not gather listeners; it must be called unless the signal ends with what is done here.
 */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal?.aborted === true) act();
  else signal?.addEventListener('abort', act, { once: true });
  return () => signal?.removeEventListener('abort', act);
}

/** Resolves as soon as the signal aborts, and never rejects. Without an abort it stays pending. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, resolve));
}

/**
 * Like `new Promise`, but an abort of the signal rejects it with the reason. `start` begins the wait and returns what ends
 * it, which is called once, in the moment in which the promise is settled by whatever comes first; nothing is begun when
 * the signal has aborted.
 */
export function abortable<T>(
  signal: AbortSignal | undefined,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    let isSettled = false;
    let end = () => {};
    const settle = (outcome: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      unlisten();
      end();
      outcome();
    };
    const unlisten = onAbort(signal, () => settle(() => reject(signal?.reason)));
    const fail = (error: unknown): void => settle(() => reject(error));
    try {
      end = start((value) => settle(() => resolve(value)), fail);
      if (isSettled) end();
    } catch (error) {
      fail(error);
    }
  });
}

/**
 * The outcome of `work`, or a rejection with the reason of the signal as soon as that aborts. `work` then goes on
 * without being waited for, and its failure is ignored.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const unlisten = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(unlisten);
  });
}

/** A signal that aborts with the first of those given, and with its reason; those that are undefined do not count. */
export function firstOf(...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/** Back-pressure: waits for the `drain` event of a stream. Rejects with the signal's reason. */
export function drained(writable: EventEmitter, signal: AbortSignal): Promise<void> {
  return abortable<void>(signal, (resolve) => {
    writable.on('drain', resolve);
    return () => writable.off('drain', resolve);
  });
}
