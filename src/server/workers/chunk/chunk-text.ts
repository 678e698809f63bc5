import { ExtractionError } from '../errors.ts';
import { type ChunkingConfig, DEFAULT_SEPARATORS, type LengthMeasurement, type RecursiveChunking } from './config.ts';
import { createMeasure, type Measure, surrogatePairs } from './measure.ts';
import { Merger } from './merger.ts';
import { forEachPiece, separatorCutters } from './pieces.ts';
import { chunkSentences } from './sentence-chunker.ts';
import type { TokenCounter } from './token-counter.ts';

/**
 * Embedding and storing a hundred thousand chunks takes minutes. The default config makes 75,000 chunks of the longest
 * text that is accepted.
 */
const MAX_CHUNKS = 100_000;
/** Overlap repeats text. Up to CHEAP_CHARACTERS the total is cheap, whatever the share of repetition. */
const MAX_REPETITION = 10;
const CHEAP_CHARACTERS = 10_000_000;

/** Counts the chunks of a text and their characters. Throws ExtractionError beyond the limits for one memory. */
class ChunkCost {
  readonly #maxCharacters: number;
  #chunks = 0;
  #characters = 0;

  constructor(textLength: number) {
    this.#maxCharacters = Math.max(CHEAP_CHARACTERS, MAX_REPETITION * textLength);
  }

  /** To be called before each chunk, with its length in UTF-16 code units. */
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

/** A chunk as a slice: text.slice(from, to), which is code points start to end. Ends are exclusive. */
export interface ChunkSpan {
  /** Offsets in Unicode code points. */
  start: number;
  end: number;
  /** The same offsets in UTF-16 code units, for slicing. */
  from: number;
  to: number;
}

export interface ChunkOptions {
  /** Needed for TOKEN_COUNT. */
  countTokens?: TokenCounter;
}

/**
 * The chunks of a text, in order, with ascending starts and ascending ends. No chunk is longer than the config allows,
 * none starts or ends inside a grapheme cluster unless the cluster alone is longer than that, and none consists of
 * white space only. Throws ExtractionError for more chunks than a memory may have.
 */
export function chunkText(text: string, config: ChunkingConfig, options: ChunkOptions = {}): ChunkSpan[] {
  const spans: ChunkSpan[] = [];
  const pairsBefore = surrogatePairs(text);
  const cost = new ChunkCost(text.length);
  const hasInk = inkFinder(text);
  const emit = (from: number, to: number) => {
    if (!hasInk(from, to)) return;
    cost.add(to - from);
    const start = pairsBefore === undefined ? from : from - pairsBefore(from);
    const end = pairsBefore === undefined ? to : to - pairsBefore(to);
    spans.push({ start, end, from, to });
  };
  const measureIn = (unit: LengthMeasurement) => createMeasure(text, unit, pairsBefore, options.countTokens);
  if ('recursive' in config)
    chunkRecursively(text, config.recursive, measureIn(config.recursive.lengthMeasurement), emit);
  else if ('sentence' in config)
    chunkSentences(text, config.sentence, measureIn(config.sentence.lengthMeasurement), emit);
  else emit(0, text.length);
  return spans;
}

function chunkRecursively(
  text: string,
  config: RecursiveChunking,
  measure: Measure,
  emit: (from: number, to: number) => void,
): void {
  const separators = config.separators.length > 0 ? config.separators : DEFAULT_SEPARATORS;
  const cutters = separatorCutters({ ...config, separators });
  const merger = new Merger(text, measure, { size: config.chunkSize, overlap: config.chunkOverlap }, emit);
  forEachPiece(text, 0, text.length, { measure, size: config.chunkSize, cutters }, (end) => merger.push(end));
  merger.flush();
}

/** Returns a test whether a slice has more than white space. Slices must have ascending starts; overlaps are not searched again. */
function inkFinder(text: string): (from: number, to: number) => boolean {
  const ink = /\S/g;
  let next = -1;
  return (from, to) => {
    if (next < from) {
      ink.lastIndex = from;
      next = ink.exec(text)?.index ?? text.length;
    }
    return next < to;
  };
}
