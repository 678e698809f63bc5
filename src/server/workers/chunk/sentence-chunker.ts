import { segments } from '../../../shared/text.ts';
import type { SentenceChunking } from './config.ts';
import type { Measure } from './measure.ts';
import { Merger } from './merger.ts';
import { forEachPiece, type PieceOptions, patternCutter } from './pieces.ts';
import { forEachSentence } from './sentence-segmenter.ts';

/**
 * Merges whole sentences up to the maximum. A longer sentence is chunked on its own: cut at white space, then at the word
 * boundaries of scripts without spaces, then between characters. A heading is kept with the sentence after it.
 */
export function chunkSentences(
  text: string,
  config: SentenceChunking,
  measure: Measure,
  emit: (from: number, to: number) => void,
): void {
  const size = config.maxChunkSize;
  const joiner = new ShortChunkJoiner(config, measure, emit);
  const merger = new Merger(text, measure, { size, overlap: 0 }, (from, to) => joiner.push(from, to));
  const words: PieceOptions = { measure, size, cutters: [patternCutter(/\s+/gu, true), cutAtWords] };

  let start = 0;
  const close = (end: number) => {
    if (end === start) return;
    if (measure.span(start, end) <= size) merger.push(end);
    else {
      merger.flush();
      forEachPiece(text, start, end, words, (cut) => merger.push(cut));
      merger.flush();
    }
    start = end;
  };
  let heading: number | undefined;
  forEachSentence(text, (end, isHeading) => {
    if (heading !== undefined && (isHeading || measure.span(start, end) > size)) close(heading);
    heading = isHeading ? end : undefined;
    if (!isHeading) close(end);
  });
  close(text.length);
  merger.flush();
  joiner.flush();
}

/** Holds back one chunk, to merge it with the next if one of them is too short and both fit together. */
class ShortChunkJoiner {
  readonly #config: SentenceChunking;
  readonly #measure: Measure;
  readonly #emit: (from: number, to: number) => void;
  #held: { from: number; to: number } | undefined;

  constructor(config: SentenceChunking, measure: Measure, emit: (from: number, to: number) => void) {
    this.#config = config;
    this.#measure = measure;
    this.#emit = emit;
  }

  push(from: number, to: number): void {
    const held = this.#held;
    if (held !== undefined && this.#joins(held, to)) {
      held.to = to;
      return;
    }
    this.flush();
    this.#held = { from, to };
  }

  flush(): void {
    if (this.#held !== undefined) this.#emit(this.#held.from, this.#held.to);
    this.#held = undefined;
  }

  #joins(held: { from: number; to: number }, to: number): boolean {
    const { minChunkSize, maxChunkSize } = this.#config;
    if (minChunkSize === 0) return false;
    const isShort = (from: number, end: number) => this.#measure.exact(from, end) < minChunkSize;
    if (!isShort(held.from, held.to) && !isShort(held.to, to)) return false;
    return this.#measure.exact(held.from, to) <= maxChunkSize;
  }
}

/** The segmenter copies its whole input for every word, so it gets small blocks. */
const BLOCK = 512;

/** Word boundaries of a slice, for scripts that put no space between words. A word longer than a block has no boundary inside. */
function cutAtWords(slice: string, cutAt: (offset: number) => void): void {
  for (let from = 0; from < slice.length; ) {
    const block = slice.slice(from, from + BLOCK);
    let last = 0;
    for (const { index } of segments(block, 'word')) {
      if (index > 0) cutAt(from + index);
      last = index;
    }
    // The last word may continue after the block, so the next block starts with it.
    from += last > 0 ? last : block.length;
  }
}
