import { abortable } from './abort.ts';

/** The longest delay in milliseconds that a timer of Node can hold, 24.8 days: anything above fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Timer {
  /** It never fires. */
  clear(): void;
  /** Its whole time begins anew. Nothing happens to one that was cleared or has fired. */
  refresh(): void;
}

interface TimerOptions {
  /** False lets the process end while it waits; true unless told. */
  keepsAlive?: boolean;
}

/** Calls `fire` once, after `ms` milliseconds of any length: what a timer cannot hold is waited for in several. */
export function startTimer(ms: number, fire: () => void, { keepsAlive = true }: TimerOptions = {}): Timer {
  let left = ms;
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    timer = undefined;
    fire();
  };
  const arm = (): void => {
    const delay = Math.min(left, LONGEST_TIMER_MS);
    left -= delay;
    timer = setTimeout(left > 0 ? arm : end, delay);
    if (!keepsAlive) timer.unref();
  };
  arm();
  return {
    clear: () => {
      clearTimeout(timer);
      timer = undefined;
    },
    refresh: () => {
      if (timer === undefined) return;
      if (ms <= LONGEST_TIMER_MS) {
        timer.refresh();
        return;
      }
      clearTimeout(timer);
      left = ms;
      arm();
    },
  };
}

/** Resolves after `ms` milliseconds of any length. Rejects with the reason of the signal as soon as that aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return abortable<void>(signal, (resolve) => startTimer(ms, resolve).clear);
}

/** Resolves after `ms` milliseconds of any length, or as soon as the signal aborts. */
export async function sleepUntilAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, signal).catch(() => undefined);
}
