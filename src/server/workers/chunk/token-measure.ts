import type { Measure } from './measure.ts';
import type { TokenCounter } from './token-counter.ts';

/**
 * Token counts are not additive, and counting every candidate slice would multiply the work. So the whole text is
 * counted once, run by run; a span is the difference of the running totals, inside a run in proportion. Whoever
 * relies on a limit checks the finished slice with `exact`.
 */
export function tokenMeasure(text: string, countTokens: TokenCounter): Measure {
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
