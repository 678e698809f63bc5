import { unlessAborted } from '../../../shared/async/abort.ts';
import { sleep } from '../../../shared/async/timer.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { EXIT } from '../../../shared/exit-codes.ts';
import { failureOf } from '../failure.ts';

/** Why and how long all calls of a run are paused. */
export interface Pause {
  reason: 'rate limit' | 'the server does not answer';
  ms: number;
}

interface GateOptions {
  signal: AbortSignal;
  /** Told once for each pause, however many calls it holds back. */
  onPause: (pause: Pause) => Promise<void>;
  onResume: () => Promise<void>;
}

/** 0.5 + 1 + 2 + … + 32 s: a server that restarts is back within that. */
const MOST_SILENT_PAUSES = 7;
const MOST_LIMIT_PAUSES = 20;
const FIRST_SILENT_PAUSE_MS = 500;
/** A longer Retry-After than this is an error. */
const LONGEST_PAUSE_MS = 3_600_000;

/**
 * All calls of a run pass it. What the server refused before it did anything, rate limits and UNAVAILABLE, is repeated
 * after a pause that holds for every call: as long as the server says, else twice as long each time. Repeats end with the
 * error after a bounded number of pauses in which nothing succeeded.
 */
export class Gate {
  readonly #options: GateOptions;
  #pause: Promise<void> | undefined;
  #pauses = 0;
  #fruitless = 0;
  #hasAnswered = false;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** The server has answered, even if with an error: it is retried when it becomes unavailable. */
  answered(): void {
    this.#hasAnswered = true;
  }

  /** Runs a call, again and again if need be. Throws its error, or the reason of the signal, which ends waiting too. */
  async run<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      while (this.#pause !== undefined) await unlessAborted(this.#pause, signal);
      signal.throwIfAborted();
      const before = this.#pauses;
      try {
        const result = await call();
        this.answered();
        this.#fruitless = 0;
        return result;
      } catch (error) {
        const pause = this.#pauseFor(error);
        if (pause === undefined) throw error;
        // A call that began before the last pause was refused by what that pause was made for.
        if (before === this.#pauses) this.#start(pause);
      }
    }
  }

  #start(pause: Pause): void {
    this.#pauses += 1;
    this.#fruitless += 1;
    const { signal, onPause, onResume } = this.#options;
    const run = async (): Promise<void> => {
      await onPause(pause);
      await sleep(pause.ms, signal);
      this.#pause = undefined;
      await onResume();
    };
    this.#pause = run();
    // Waiting calls see the failure; with none waiting it must not be an unhandled rejection.
    this.#pause.catch(() => {});
  }

  #pauseFor(error: unknown): Pause | undefined {
    if (!(error instanceof ServiceError)) return undefined;
    const { code, retryAfterSeconds } = error;
    const wanted = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
    if (wanted !== undefined && wanted > LONGEST_PAUSE_MS) return undefined;
    // Without a time to wait it is a limit that a repeat cannot pass.
    if (code === 'RESOURCE_EXHAUSTED' && wanted !== undefined && this.#fruitless < MOST_LIMIT_PAUSES) {
      return { reason: 'rate limit', ms: wanted };
    }
    // A server that has never answered is an error at once; one that has answered is probably restarting.
    const mayReturn = this.#hasAnswered || wanted !== undefined;
    if (code !== 'UNAVAILABLE' || !mayReturn || this.#fruitless >= MOST_SILENT_PAUSES) return undefined;
    return { reason: 'the server does not answer', ms: wanted ?? FIRST_SILENT_PAUSE_MS * 2 ** this.#fruitless };
  }
}

/** `waiting 12 s: rate limit`. */
export function pauseText({ reason, ms }: Pause): string {
  return `waiting ${Math.max(1, Math.ceil(ms / 1000))} s: ${reason}`;
}

/** How to go on after a run that has not done all. */
export const AGAIN = 'Run the same command again to continue; what is stored is not sent again.';

/** Failures that repeat until the input, the command or the permissions of the key change. */
const LASTING: readonly number[] = [EXIT.usage, EXIT.badInput, EXIT.noInput, EXIT.denied, EXIT.configuration];

/** Whether the same command may get further when it is run again. */
export function isWorthRepeating(error: unknown): boolean {
  return !LASTING.includes(failureOf(error).exit);
}
