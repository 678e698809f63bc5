import { withTimeout } from '../../shared/async/abort.ts';

/** A sample is kept this long at least, */
const LEAST_AGE_MS = 1000;
/** and so long that taking samples is a fiftieth of the time at most. */
const SHARE = 50;

export interface SamplerOptions {
  /** Milliseconds after which a look is given up. */
  timeoutMs: number;
  /** A clock in milliseconds that never goes back. */
  now?: () => number;
}

/**
 * Looks at something that takes time, for many who ask at once: one look at a time, none while the last one is still
 * fresh.
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

  /** Undefined when the look failed or took too long. Never rejects. */
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
