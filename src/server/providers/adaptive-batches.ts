import { mapBounded } from '../../shared/async/map-bounded.ts';
import { ProviderError } from './errors.ts';

/** The batches of one caller in flight at once, so that a large input takes turns with others. */
const BATCHES_AT_ONCE = 4;

/** Splits the texts of calls to one target into batches, and learns how large its batches may be. */
export class AdaptiveBatches {
  #limits: BatchLimits;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  /**
   * One result a text, in the order of the texts. `call` answers a batch with as many results. After its first failure
   * nothing new starts, and `scope` is aborted for what runs.
   */
  async run<T>(
    texts: readonly string[],
    scope: AbortController,
    call: (texts: readonly string[]) => Promise<T[]>,
  ): Promise<T[]> {
    const results = new Array<T>(texts.length);
    await mapBounded(
      planBatches(texts, this.#limits),
      { limit: BATCHES_AT_ONCE, onFailure: () => scope.abort(new DOMException('Another batch failed', 'AbortError')) },
      async ({ start, end }) => {
        for (const [i, result] of (await this.#batch(texts.slice(start, end), call)).entries()) {
          results[start + i] = result;
        }
      },
    );
    return results;
  }

  async #batch<T>(texts: readonly string[], call: (texts: readonly string[]) => Promise<T[]>): Promise<T[]> {
    try {
      return await call(texts);
    } catch (error) {
      if (texts.length < 2 || !isTooLarge(error)) throw error;
    }
    return this.#halves(texts, call);
  }

  /**
   * Servers have different limits on the size of a request. The smaller size is remembered only once both halves
   * succeeded: one input that is too large by itself must not make the batches of all callers small.
   */
  async #halves<T>(texts: readonly string[], call: (texts: readonly string[]) => Promise<T[]>): Promise<T[]> {
    const middle = Math.ceil(texts.length / 2);
    const first = await this.#batch(texts.slice(0, middle), call);
    const second = await this.#batch(texts.slice(middle), call);
    this.#limits = { ...this.#limits, maxTexts: Math.min(this.#limits.maxTexts, middle) };
    return [...first, ...second];
  }
}

/** The server refused the request for its size. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ProviderError && error.oversized;
}

interface BatchLimits {
  maxTexts: number;
  /** UTF-16 units of all texts together. */
  maxCharacters: number;
}

/** A run of texts: from `start` to before `end`. */
interface Batch {
  start: number;
  end: number;
}

/**
 * Splits the texts into runs within the limits, in order. A text that is longer than a batch may be is a batch of its
 * own.
 */
export function planBatches(texts: readonly string[], limits: BatchLimits): Batch[] {
  const batches: Batch[] = [];
  let start = 0;
  let characters = 0;
  for (const [index, text] of texts.entries()) {
    const full = index - start >= limits.maxTexts || characters + text.length > limits.maxCharacters;
    if (index > start && full) {
      batches.push({ start, end: index });
      start = index;
      characters = 0;
    }
    characters += text.length;
  }
  if (start < texts.length) batches.push({ start, end: texts.length });
  return batches;
}
