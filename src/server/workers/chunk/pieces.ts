import { codePointEnds, forEachGrapheme, isGraphemeBoundary } from '../../../shared/text.ts';
import type { RecursiveChunking } from './config.ts';
import type { Measure } from './measure.ts';

/** Finds where to cut a slice: offsets relative to it, ascending, strictly inside. */
type Cutter = (slice: string) => Iterable<number>;

export interface PieceOptions {
  measure: Measure;
  size: number;
  /** In order of preference; behind the last one pieces are cut between characters. */
  cutters: readonly Cutter[];
}

/** Calls `push` with the end of each piece: as few cuts as make every piece fit, made by the first cutter that can. */
export function forEachPiece(
  text: string,
  from: number,
  to: number,
  options: PieceOptions,
  push: (end: number) => void,
): void {
  const { measure, size, cutters } = options;
  const split = (start: number, end: number, level: number): void => {
    const cutter = cutters[level];
    if (measure.span(start, end) <= size) push(end);
    else if (cutter === undefined) forEachCharacter(text, start, end, options, push);
    else splitWith(cutter, start, end, level);
  };
  const splitWith = (cutter: Cutter, start: number, end: number, level: number): void => {
    let open = start;
    for (const cut of cutter(text.slice(start, end))) {
      // A separator inside a character (the line feed of a CRLF, a joiner in an emoji) parts nothing.
      if (!isGraphemeBoundary(text, start + cut, open)) continue;
      split(open, start + cut, level + 1);
      open = start + cut;
    }
    split(open, end, level + 1);
  };
  if (from < to) split(from, to, 0);
}

/** A single character beyond the limit is cut between its code points: the limit is the stronger rule. */
function forEachCharacter(text: string, from: number, to: number, options: PieceOptions, push: (end: number) => void) {
  let start = from;
  forEachGrapheme(text, from, to, (end) => {
    if (end - start > 1 && options.measure.span(start, end) > options.size) {
      for (const cut of codePointEnds(text, start, end)) push(cut);
    } else push(end);
    start = end;
  });
}

/** The separators of a config up to the first `""`, which is what happens behind the last one anyway. */
export function separatorCutters(config: RecursiveChunking): Cutter[] {
  const keepsEnd = config.keepStrategy === 'KEEP_END';
  const end = config.separators.indexOf('');
  const separators = end === -1 ? config.separators : config.separators.slice(0, end);
  return separators.map((separator) =>
    config.separatorIsRegex ? patternCutter(new RegExp(separator, 'gu'), keepsEnd) : literalCutter(separator, keepsEnd),
  );
}

function literalCutter(separator: string, keepsEnd: boolean): Cutter {
  return function* (slice) {
    for (let at = slice.indexOf(separator); at !== -1; at = slice.indexOf(separator, at + separator.length)) {
      const cut = keepsEnd ? at + separator.length : at;
      if (cut > 0 && cut < slice.length) yield cut;
    }
  };
}

/** A match without length, such as a look-ahead, is a place to cut. */
export function patternCutter(pattern: RegExp, keepsEnd: boolean): Cutter {
  return function* (slice) {
    for (const { 0: match, index } of slice.matchAll(pattern)) {
      const cut = keepsEnd ? index + match.length : index;
      if (cut > 0 && cut < slice.length) yield cut;
    }
  };
}
