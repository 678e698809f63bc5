import { startTimer, type Timer } from './timer.ts';

export interface Bounds {
  /** An abort ends the wait with its reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds from now, of any length; zero and less are over at once. Without it there is no deadline. */
  timeoutMs?: number | undefined;
}

export interface DeadlineBounds extends Bounds {
  /** Called at the moment the time is over: makes the reason of the abort. */
  late: () => unknown;
}

/** A controller that is aborted with its caller's signal and at its deadline. */
export interface Scope {
  readonly controller: AbortController;
  readonly signal: AbortSignal;
  /** The time to the deadline begins anew: it bounds a pause and not the whole. */
  refresh(): void;
  /** Stops the clock and lets go of the caller's signal; must be called. The controller is not aborted by it. */
  close(): void;
}

/** Opens a scope. Aborted from the beginning when the caller's signal is, or no time is left. */
export function openScope({ signal, timeoutMs, late }: DeadlineBounds): Scope {
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal?.reason);
  let timer: Timer | undefined;
  if (signal?.aborted === true) stop();
  else signal?.addEventListener('abort', stop, { once: true });
  if (timeoutMs !== undefined && !controller.signal.aborted) {
    if (timeoutMs <= 0) controller.abort(late());
    else timer = startTimer(timeoutMs, () => controller.abort(late()));
  }
  return {
    controller,
    signal: controller.signal,
    refresh: () => timer?.refresh(),
    close: () => {
      timer?.clear();
      signal?.removeEventListener('abort', stop);
    },
  };
}

/**
 * Runs `work` in a scope and closes that when it settles; `work` must leave nothing running then. Rejects as `work` does,
 * and with the reason of the scope, without calling it, when that is over before it begins.
 */
export async function withDeadline<T>(bounds: DeadlineBounds, work: (scope: Scope) => Promise<T>): Promise<T> {
  const scope = openScope(bounds);
  try {
    scope.signal.throwIfAborted();
    return await work(scope);
  } finally {
    scope.close();
  }
}

export interface WaitBounds extends Bounds {
  /** Makes what is thrown when the time is over. */
  late: () => unknown;
  /** Makes what is thrown after an abort; the reason of the signal unless told. */
  left?: (signal: AbortSignal) => unknown;
}

/**
 * The outcome of `work`, waited for until the signal aborts or the time is over. Then `stop` is called and the wait rejects
 * at once, whatever `work` does afterwards. An outcome that came while this process stood still is taken.
 */
export function waitFor<T>(work: Promise<T>, bounds: WaitBounds, stop: () => void): Promise<T> {
  const { signal, timeoutMs, late, left = ({ reason }) => reason } = bounds;
  return new Promise((resolve, reject) => {
    let timer: Timer | undefined;
    let over: NodeJS.Immediate | undefined;
    const done = (): void => {
      timer?.clear();
      clearImmediate(over);
      signal?.removeEventListener('abort', onAbort);
    };
    const giveUp = (error: unknown): void => {
      done();
      stop();
      reject(error);
    };
    const onAbort = (): void => {
      if (signal !== undefined) giveUp(left(signal));
    };
    // After a stop of the process, or a long turn of the loop, timers come before the answers that have long been here.
    const onTime = (): void => {
      over = setImmediate(() => giveUp(late()));
    };
    if (timeoutMs !== undefined) timer = startTimer(timeoutMs, onTime);
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
    if (signal?.aborted === true) onAbort();
  });
}
