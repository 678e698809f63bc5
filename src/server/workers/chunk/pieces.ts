import { codePointEnds, forEachGrapheme, isGraphemeBoundary } from '../../../shared/text.ts';
import type { RecursiveChunking } from './config.ts';
import type { Measure } from './measure.ts';

/** Calls `cutAt` with the cuts of a slice: ascending offsets relative to the slice and strictly inside it. */
type Cutter = (slice: string, cutAt: (offset: number) => void) => void;

export interface PieceOptions {
  measure: Measure;
  size: number;
  /** In order of preference; after the last one, pieces are cut between characters. */
  cutters: readonly Cutter[];
}

/** Calls `push` with the end of each piece. Slices that are too long are cut by the first cutter, their parts by the next one. */
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
    cutter(text.slice(start, end), (offset) => {
      const cut = start + offset;
      // A separator inside a character (the line feed of a CRLF, a joiner in an emoji) is no place to cut.
      if (!isGraphemeBoundary(text, cut, open)) return;
      split(open, cut, level + 1);
      open = cut;
    });
    split(open, end, level + 1);
  };
  if (from < to) split(from, to, 0);
}

/** A single character beyond the limit is cut between its code points, because the limit takes precedence. */
function forEachCharacter(text: string, from: number, to: number, options: PieceOptions, push: (end: number) => void) {
  let start = from;
  forEachGrapheme(text, from, to, (end) => {
    if (end - start > 1 && options.measure.span(start, end) > options.size) {
      for (const cut of codePointEnds(text, start, end)) push(cut);
    } else push(end);
    start = end;
  });
}

/** Cutters for the separators before the first `""`, which stands for cutting between characters, as after the last one. */
export function separatorCutters(config: RecursiveChunking): Cutter[] {
  const keepsEnd = config.keepStrategy === 'KEEP_END';
  const end = config.separators.indexOf('');
  const separators = end === -1 ? config.separators : config.separators.slice(0, end);
  return separators.map((separator) =>
    config.separatorIsRegex ? patternCutter(new RegExp(separator, 'gu'), keepsEnd) : literalCutter(separator, keepsEnd),
  );
}

function literalCutter(separator: string, keepsEnd: boolean): Cutter {
  return (slice, cutAt) => {
    for (let at = slice.indexOf(separator); at !== -1; at = slice.indexOf(separator, at + separator.length)) {
      const cut = keepsEnd ? at + separator.length : at;
      if (cut > 0 && cut < slice.length) cutAt(cut);
    }
  };
}

/** A match of length zero, such as a look-ahead, is a place to cut too. */
export function patternCutter(pattern: RegExp, keepsEnd: boolean): Cutter {
  return (slice, cutAt) => {
    for (const { 0: match, index } of slice.matchAll(pattern)) {
      const cut = keepsEnd ? index + match.length : index;
      if (cut > 0 && cut < slice.length) cutAt(cut);
    }
  };
}
