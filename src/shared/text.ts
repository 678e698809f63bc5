/** Unicode code points of a string; a lone surrogate counts as one. */
export function codePointLength(text: string): number {
  return text.length - surrogatePairs(text, 0, text.length);
}

/** Code points between two UTF-16 offsets that both lie on code point boundaries. */
export function codePointsBetween(text: string, start: number, end: number): number {
  return end - start - surrogatePairs(text, start, end);
}

/** The first `limit` code points, the text itself when it has no more. */
export function truncateCodePoints(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  for (let left = limit; left > 0 && end < text.length; left -= 1) end += isPairAt(text, end) ? 2 : 1;
  return text.slice(0, end);
}

/** Replaces lone surrogates, which neither UTF-8 nor percent-encoding can express: a text may have been cut within a pair. */
export function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

/** Whether a surrogate pair starts at this UTF-16 offset. */
export function isPairAt(text: string, offset: number): boolean {
  return (text.charCodeAt(offset) & 0xfc00) === 0xd800 && (text.charCodeAt(offset + 1) & 0xfc00) === 0xdc00;
}

/** The UTF-16 offsets at which the code points of a slice end. */
export function codePointEnds(text: string, from: number, to: number): number[] {
  const ends: number[] = [];
  for (let at = from; at < to; ) {
    at += isPairAt(text, at) ? 2 : 1;
    ends.push(at);
  }
  return ends;
}

function surrogatePairs(text: string, start: number, end: number): number {
  let pairs = 0;
  for (let offset = start; offset < end - 1; offset += 1) {
    if ((text.charCodeAt(offset) & 0xfc00) === 0xd800 && isPairAt(text, offset)) {
      pairs += 1;
      offset += 1;
    }
  }
  return pairs;
}

type Granularity = 'grapheme' | 'word' | 'sentence';

/** Made when a text first needs one: the first of a process takes 15 to 30 ms, a tenth of what a short command takes. */
const segmenters = new Map<Granularity, Intl.Segmenter>();

/** The parts of a text by the rules of no language in particular (`und`), so that the host's locale changes nothing. */
export function segments(text: string, granularity: Granularity): Intl.Segments {
  let segmenter = segmenters.get(granularity);
  if (segmenter === undefined) {
    segmenter = new Intl.Segmenter('und', { granularity });
    segmenters.set(granularity, segmenter);
  }
  return segmenter.segment(text);
}

/**
 * How much the segmenter is given at once. It copies its whole input for every segment (V8 11.3: 1 µs a segment in
 * 1,000 characters, 20 µs in 65,536), so small windows are what keeps this linear. A boundary test looks back no
 * further than this for certain ground; only a cluster that is longer could be misjudged.
 */
const WINDOW = 256;

/**
 * Whether what people see as one character may be parted at a UTF-16 offset. `floor` is an earlier offset that is
 * known to be a boundary. Costs nothing in most text: only marks, joiners, emoji and the like go to the segmenter.
 */
export function isGraphemeBoundary(text: string, offset: number, floor = 0): boolean {
  if (offset <= 0 || offset >= text.length) return true;
  if (isCertainBoundary(text, offset)) return true;
  if (isPairAt(text, offset - 1)) return false;
  if (isMark(text, offset) && isMarkBase(text, offset - 1)) return false;
  const lowest = Math.max(floor, offset - WINDOW);
  let start = offset - 1;
  while (start > lowest && !isCertainBoundary(text, start)) start -= 1;
  const next = offset + (isPairAt(text, offset) ? 2 : 1);
  return segments(text.slice(start, next), 'grapheme').containing(offset - start)?.index === offset - start;
}

/**
 * Calls `each` with the end of every grapheme cluster between two offsets, of which the first is a boundary. The
 * second one is taken for a boundary too.
 */
export function forEachGrapheme(text: string, from: number, to: number, each: (end: number) => void): void {
  let at = from;
  while (at < to) {
    if (at + 1 === to || isCertainBoundary(text, at + 1)) {
      at += 1;
      each(at);
    } else at = segmentRun(text, at, to, each);
  }
}

/** Segments from `from` to the next certain boundary; returns how far it came. */
function segmentRun(text: string, from: number, to: number, each: (end: number) => void): number {
  for (let window = WINDOW; ; window *= 2) {
    const limit = Math.min(to, from + window);
    let end = from + 1;
    while (end < limit && !isCertainBoundary(text, end)) end += 1;
    const isOpen = end === limit && limit < to;
    let last = 0;
    for (const { index } of segments(text.slice(from, end), 'grapheme')) {
      if (index > 0) each(from + index);
      last = index;
    }
    if (!isOpen) {
      each(end);
      return end;
    }
    // The last cluster may go on behind the window; one that fills it whole is tried again with a larger one.
    if (last > 0) return from + last;
  }
}

function isCertainBoundary(text: string, offset: number): boolean {
  const left = text.charCodeAt(offset - 1);
  const right = text.charCodeAt(offset);
  return isPlain(left) && isPlain(right) && !(left === 0x0d && right === 0x0a);
}

/** Marks and joiners, which belong to whatever is before them unless that is a control character. */
function isMark(text: string, offset: number): boolean {
  return /^[\p{Mn}\p{Me}\u200d]/u.test(text.slice(offset, offset + 2));
}

function isMarkBase(text: string, offset: number): boolean {
  const unit = text.charCodeAt(offset);
  if (unit >= 0x20 && unit < 0x0300) return unit < 0x7f || (unit > 0x9f && unit !== 0xad);
  return isPlain(unit) ? unit >= 0x20 : isMark(text, offset);
}

/** Code units of scripts whose characters never join one another: Latin, Greek, Cyrillic, kana, ideographs, Hangul. */
function isPlain(unit: number): boolean {
  if (unit < 0x0300) return true;
  if (unit < 0x0530) return unit >= 0x0370 && (unit <= 0x0482 || unit >= 0x048a);
  if (unit < 0x2010) return false;
  if (unit < 0x3000) return unit <= 0x2027;
  if (unit < 0x3400) return unit <= 0x3029 || (unit >= 0x3041 && unit <= 0x3096) || (unit >= 0x30a0 && unit <= 0x30ff);
  return unit <= 0x9fff || (unit >= 0xac00 && unit <= 0xd7a3) || (unit >= 0xff01 && unit <= 0xff9d);
}

/** What some readers of lines take for the end of one, Python's `splitlines` above all. JSON lets them stand in strings. */
const LINE_SEPARATORS = /[\u0085\u2028\u2029]/g;

/** JSON text without line breaks, so that no reader finds one in it either. */
export function onOneLine(json: string): string {
  // Most texts have none of them: three searches take a tenth of the time of one for the pattern.
  if (!json.includes('\u0085') && !json.includes('\u2028') && !json.includes('\u2029')) return json;
  return json.replace(LINE_SEPARATORS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
