import { withTimeout } from '../../shared/async/deadline.ts';

/** The least time for which a sample is kept. */
const LEAST_AGE_MS = 1000;
/** A sample is kept for so many times the time that it took, so that sampling takes at most a fiftieth of the time. */
const SHARE = 50;

interface SamplerOptions {
  /** Milliseconds after which a measurement is aborted. */
  timeoutMs: number;
  /** A clock in milliseconds that never goes back. */
  now?: () => number;
}

/**
 * Caches an expensive measurement for concurrent callers: one measurement runs at a time, and none while the last one
 * is fresh.
 */
export class Sampler<T> {
  readonly #take: (signal: AbortSignal) => Promise<T>;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  #sample: T | undefined;
  #freshUntilMs = Number.NEGATIVE_INFINITY;
  #running: Promise<T | undefined> | undefined;

  /** `take` must end with its signal. */
  constructor(take: (signal: AbortSignal) => Promise<T>, { timeoutMs, now = () => performance.now() }: SamplerOptions) {
    this.#take = take;
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /** Undefined when the measurement failed or took too long. Never rejects. */
  async latest(): Promise<T | undefined> {
    if (this.#running === undefined && this.#now() < this.#freshUntilMs) return this.#sample;
    this.#running ??= this.#look().finally(() => {
      this.#running = undefined;
    });
    return await this.#running;
  }

  async #look(): Promise<T | undefined> {
    const startedMs = this.#now();
    let tookMs = 0;
    try {
      this.#sample = await this.#take(withTimeout(undefined, this.#timeoutMs));
      tookMs = this.#now() - startedMs;
    } catch {
      this.#sample = undefined;
    }
    this.#freshUntilMs = this.#now() + Math.max(LEAST_AGE_MS, SHARE * tookMs);
    return this.#sample;
  }
}
