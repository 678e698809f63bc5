import { firstOf, onAbort } from './abort.ts';
import { startTimer, type Timer } from './timer.ts';

interface Bounds {
  /** An abort ends the wait. */
  signal?: AbortSignal | undefined;
  /** Milliseconds from now, of any length; zero and less are over at once. Without it there is no deadline. */
  timeoutMs?: number | undefined;
  /** Called at the moment the time is over: makes the reason with which the wait ends; a TimeoutError unless told. */
  timeoutReason?: () => unknown;
  /** Called when the signal aborts: makes the reason with which the wait ends; that of the signal unless told. */
  abortReason?: (signal: AbortSignal) => unknown;
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
export function openScope({ signal, timeoutMs, timeoutReason = timedOut, abortReason = reasonOf }: Bounds): Scope {
  const controller = new AbortController();
  const unlisten = onAbort(signal, () => signal && controller.abort(abortReason(signal)));
  let timer: Timer | undefined;
  if (timeoutMs !== undefined && !controller.signal.aborted) {
    if (timeoutMs <= 0) controller.abort(timeoutReason());
    else timer = startTimer(timeoutMs, () => controller.abort(timeoutReason()));
  }
  return {
    controller,
    signal: controller.signal,
    refresh: () => timer?.refresh(),
    close: () => {
      timer?.clear();
      unlisten();
    },
  };
}

function timedOut(): DOMException {
  return new DOMException('Not done in time', 'TimeoutError');
}

function reasonOf({ reason }: AbortSignal): unknown {
  return reason;
}

/**
 * Runs `work` in a scope and closes that when it settles; `work` must leave nothing running then. Rejects as `work` does,
 * and with the reason of the scope, without calling it, when that is over before it begins.
 */
export async function withScope<T>(bounds: Bounds, work: (scope: Scope) => Promise<T>): Promise<T> {
  const scope = openScope(bounds);
  try {
    scope.signal.throwIfAborted();
    return await work(scope);
  } finally {
    scope.close();
  }
}

/**
 * A signal that aborts with the one given, or with a TimeoutError once `timeoutMs` milliseconds are over. It does not keep
 * the process alive. The timer stays until its time is over: what ends by itself and may wait for long is better run by
 * `withScope`, which stops the clock.
 */
export function withTimeout(signal: AbortSignal | undefined, timeoutMs: number): AbortSignal {
  const late = new AbortController();
  const fire = (): void => late.abort(new DOMException(`Not done within ${timeoutMs} ms`, 'TimeoutError'));
  startTimer(timeoutMs, fire, { keepsAlive: false });
  return firstOf(signal, late.signal);
}

/**
 * The outcome of `work`, waited for until the signal aborts or the time is over. Then `stop` is called and the wait rejects
 * at once, whatever `work` does afterwards. An outcome that came while this process stood still is taken.
 */
export function waitFor<T>(work: Promise<T>, bounds: Bounds, stop: () => void = () => {}): Promise<T> {
  const { signal, timeoutMs, timeoutReason = timedOut, abortReason = reasonOf } = bounds;
  return new Promise((resolve, reject) => {
    let timer: Timer | undefined;
    let over: NodeJS.Immediate | undefined;
    let unlisten = (): void => {};
    const done = (): void => {
      timer?.clear();
      clearImmediate(over);
      unlisten();
    };
    const giveUp = (error: unknown): void => {
      done();
      stop();
      reject(error);
    };
    // After a stop of the process, or a long turn of the loop, timers come before the answers that have long been here.
    const onTime = (): void => {
      over = setImmediate(() => giveUp(timeoutReason()));
    };
    if (timeoutMs !== undefined) timer = startTimer(timeoutMs, onTime);
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
    unlisten = onAbort(signal, () => signal && giveUp(abortReason(signal)));
  });
}
