import { codePointsBetween } from '../../../shared/text.ts';
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

export function createMeasure(text: string, unit: LengthMeasurement, countTokens: TokenCounter | undefined): Measure {
  if (unit === 'CHARACTER_COUNT') return characterMeasure(text);
  if (countTokens === undefined) throw new TypeError('TOKEN_COUNT needs a token counter');
  return tokenMeasure(text, countTokens);
}

export function hasSurrogates(text: string): boolean {
  return /[\ud800-\udfff]/.test(text);
}

function characterMeasure(text: string): Measure {
  const span = hasSurrogates(text)
    ? (from: number, to: number) => codePointsBetween(text, from, to)
    : (from: number, to: number) => to - from;
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
