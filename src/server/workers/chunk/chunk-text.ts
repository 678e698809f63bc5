import { codePointsBetween } from '../../../shared/text.ts';
import { ChunkCost } from './chunk-cost.ts';
import { type ChunkingConfig, DEFAULT_SEPARATORS, type RecursiveChunking } from './config.ts';
import { createMeasure, hasSurrogates } from './measure.ts';
import { Merger } from './merger.ts';
import { forEachPiece, separatorCutters } from './pieces.ts';
import { chunkSentences } from './sentence.ts';
import type { TokenCounter } from './token-counter.ts';

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
 * Chunks of a text in its order, both their starts and their ends ascending. No chunk is longer than the config
 * allows, none begins or ends inside a grapheme cluster unless the cluster alone is longer than that, and none is
 * white space only. Throws ExtractionError for more chunks than a memory may have.
 */
export function chunkText(text: string, config: ChunkingConfig, options: ChunkOptions = {}): ChunkSpan[] {
  const spans: ChunkSpan[] = [];
  const toCodePoints = codePointTranslator(text);
  const cost = new ChunkCost(text.length);
  const hasInk = inkFinder(text);
  const emit = (from: number, to: number) => {
    if (!hasInk(from, to)) return;
    cost.add(to - from);
    spans.push({ ...toCodePoints(from, to), from, to });
  };
  if ('recursive' in config) chunkRecursively(text, config.recursive, options, emit);
  else if ('sentence' in config) chunkSentences(text, config.sentence, options.countTokens, emit);
  else emit(0, text.length);
  return spans;
}

function chunkRecursively(
  text: string,
  config: RecursiveChunking,
  { countTokens }: ChunkOptions,
  emit: (from: number, to: number) => void,
): void {
  const measure = createMeasure(text, config.lengthMeasurement, countTokens);
  const separators = config.separators.length > 0 ? config.separators : DEFAULT_SEPARATORS;
  const cutters = separatorCutters({ ...config, separators });
  const merger = new Merger(text, measure, { size: config.chunkSize, overlap: config.chunkOverlap }, emit);
  forEachPiece(text, 0, text.length, { measure, size: config.chunkSize, cutters }, (end) => merger.push(end));
  merger.flush();
}

/** Whether a slice is more than white space. Starts ascend, so that overlapping slices are not searched again. */
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

/** Starts and ends ascend, so each is counted on from the one before. */
function codePointTranslator(text: string): (from: number, to: number) => { start: number; end: number } {
  if (!hasSurrogates(text)) return (from, to) => ({ start: from, end: to });
  const cursor = () => {
    let units = 0;
    let points = 0;
    return (offset: number) => {
      points += codePointsBetween(text, units, offset);
      units = offset;
      return points;
    };
  };
  const startOf = cursor();
  const endOf = cursor();
  return (from, to) => ({ start: startOf(from), end: endOf(to) });
}
