import { isPairAt } from '../../../shared/text.ts';
import type { ChunkingConfig, LengthMeasurement } from './config.ts';
import type { TokenCounter } from './token-counter.ts';

/** Measures slices of one text. Offsets are in UTF-16 code units. */
export interface Measure {
  /** Cheap and additive over adjacent slices; an estimate when `isExact` is false. */
  span(from: number, to: number): number;
  /** The length of the slice on its own. */
  exact(from: number, to: number): number;
  isExact: boolean;
}

/** Whether a config needs the token counter, which is large and loaded only on demand. */
export function measuresTokens(config: ChunkingConfig): boolean {
  if ('recursive' in config) return config.recursive.lengthMeasurement === 'TOKEN_COUNT';
  return 'sentence' in config && config.sentence.lengthMeasurement === 'TOKEN_COUNT';
}

/** The surrogate pairs before a code point boundary, an offset in UTF-16 code units. */
type PairsBefore = (offset: number) => number;

/** How many code units of a text one count stands for, as a power of two. */
const BLOCK = 6;

/**
 * Counts surrogate pairs without reading the text again from its beginning: code points are counted for every piece of it.
 * Undefined for a text that has none.
 */
export function surrogatePairs(text: string): PairsBefore | undefined {
  if (!/[\ud800-\udbff]/.test(text)) return undefined;
  const counts = new Uint32Array((text.length >>> BLOCK) + 1);
  let pairs = 0;
  for (let offset = 0; offset <= text.length; offset += 1) {
    if ((offset & ((1 << BLOCK) - 1)) === 0) counts[offset >>> BLOCK] = pairs;
    if ((text.charCodeAt(offset) & 0xfc00) === 0xd800 && isPairAt(text, offset)) pairs += 1;
  }
  return (offset) => {
    const block = offset >>> BLOCK;
    let before = counts[block] ?? 0;
    for (let at = block << BLOCK; at < offset; at += 1) {
      if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && isPairAt(text, at)) before += 1;
    }
    return before;
  };
}

export function createMeasure(
  text: string,
  unit: LengthMeasurement,
  pairsBefore: PairsBefore | undefined,
  countTokens: TokenCounter | undefined,
): Measure {
  if (unit === 'CHARACTER_COUNT') return characterMeasure(pairsBefore);
  if (countTokens === undefined) throw new TypeError('TOKEN_COUNT needs a token counter');
  return tokenMeasure(text, countTokens);
}

function characterMeasure(pairsBefore: PairsBefore | undefined): Measure {
  const span =
    pairsBefore === undefined
      ? (from: number, to: number) => to - from
      : (from: number, to: number) => to - from - (pairsBefore(to) - pairsBefore(from));
  return { span, exact: span, isExact: true };
}

/**
 * Token counts are not additive, and counting every candidate slice would multiply the work. The whole text is therefore
 * counted once, run by run; a span is the difference of the running totals, interpolated inside a run. To enforce a limit,
 * callers check the finished slice with `exact`.
 */
function tokenMeasure(text: string, countTokens: TokenCounter): Measure {
  const ends: number[] = [0];
  const totals: number[] = [0];
  let total = 0;
  countTokens(text, (end, tokens) => {
    total += tokens;
    ends.push(end);
    totals.push(total);
  });

  function totalAt(offset: number): number {
    let low = 0;
    let high = ends.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((ends[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const start = ends[low] ?? 0;
    const base = totals[low] ?? 0;
    const end = ends[low + 1];
    if (end === undefined) return base;
    return base + (((totals[low + 1] ?? base) - base) * (offset - start)) / (end - start);
  }

  return {
    span: (from, to) => totalAt(to) - totalAt(from),
    exact: (from, to) => countTokens(text.slice(from, to)),
    isExact: false,
  };
}
