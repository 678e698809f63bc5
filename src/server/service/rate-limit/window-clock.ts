import type { RateWindow } from '../../store/rate-limits.ts';

const USEFUL_MS = 1000;

/**
 * Computes the current window by the clock of the database, so that all servers agree on it. Between two readings the
 * local clock continues it.
 */
export class WindowClock {
  readonly #local: () => number;
  #ahead = 0;
  #latest = 0;

  /** `local` tells epoch milliseconds. */
  constructor(local: () => number) {
    this.#local = local;
  }

  local(): number {
    return this.#local();
  }

  /**
   * Adjusts to the clock of the database, read at some time between `sent` and `received` of the local clock. A reading
   * that took long is ignored as inaccurate.
   */
  adjust(database: number, sent: number, received: number): void {
    if (received - sent > USEFUL_MS) return;
    this.#ahead = database - (sent + received) / 2;
  }

  /**
   * Epoch milliseconds. They stand still while a correction is smaller than the window: a window that came back would
   * count from 0. After a larger one the clock was wrong before, and is right now.
   */
  now(windowSeconds: number): number {
    const now = this.#local() + this.#ahead;
    const isBehind = now < this.#latest && this.#latest - now < windowSeconds * 1000;
    if (!isBehind) this.#latest = now;
    return this.#latest;
  }

  window(seconds: number): RateWindow {
    return { endsAt: (Math.floor(this.now(seconds) / (seconds * 1000)) + 1) * seconds, seconds };
  }
}
