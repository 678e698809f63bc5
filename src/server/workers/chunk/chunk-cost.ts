import { ExtractionError } from '../errors.ts';

/**
 * Each chunk is embedded and stored: a hundred thousand take minutes. The default config makes 75,000 of the longest
 * text that is taken.
 */
const MAX_CHUNKS = 100_000;
/** Overlap repeats text. Up to the second figure that is cheap, whatever the share of repeated text is. */
const MAX_REPETITION = 10;
const CHEAP_CHARACTERS = 10_000_000;

/** Counts what chunking a text costs, chunk by chunk. Throws ExtractionError when a memory may not cost that much. */
export class ChunkCost {
  readonly #maxCharacters: number;
  #chunks = 0;
  #characters = 0;

  constructor(textLength: number) {
    this.#maxCharacters = Math.max(CHEAP_CHARACTERS, MAX_REPETITION * textLength);
  }

  /** Before each chunk, with its length in UTF-16 code units. */
  add(length: number): void {
    this.#chunks += 1;
    this.#characters += length;
    if (this.#chunks > MAX_CHUNKS) {
      throw new ExtractionError(
        `Chunking would make more than ${MAX_CHUNKS} chunks, the most that a memory may have: use a larger chunkSize, or less chunkOverlap`,
      );
    }
    if (this.#characters > this.#maxCharacters) {
      throw new ExtractionError(
        `The chunks would hold more than ${this.#maxCharacters} characters in all, the most for content of this size: use less chunkOverlap`,
      );
    }
  }
}
