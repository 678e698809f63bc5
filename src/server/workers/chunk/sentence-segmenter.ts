import { segments } from '../../../shared/text.ts';

/**
 * The segmenter copies its whole input for every segment (V8 11.3: 1 µs per segment in 1,000 characters, 20 µs in 65,536),
 * so it gets small blocks. A sentence that fills a block is segmented again with a larger one, up to LONGEST_SENTENCE, at
 * which it is cut.
 */
const BLOCK = 1024;
const LONGEST_SENTENCE = 65_536;

/** Titles, initials and abbreviations that end in a period inside a sentence. */
const ABBREVIATION =
  /(?:^|[\s("'])(?:Dr|Mr|Mrs|Ms|Prof|Rev|Gen|Lt|Col|Capt|Sgt|St|Mt|vs|cf|e\.g|i\.e|No|Nr|Fig|Figs|Eq|Sec|Vol|Art|pp|ca|bzw|bspw|vgl|inkl|z\.\s?B|d\.\s?h|u\.\s?a|Hr|Fr|Mme|Mlle|Sra?|Dña|\p{L})\.[ \t\u00a0]*$/u;

/** The number or letter of a list item belongs to the sentence after it. */
const COUNTER = /^\s*\(?(?:\d{1,3}|\p{L})[.)][ \t]*$/u;

const HEADING = /^\s{0,3}#{1,6}\s/;
const LINE_START_OF_ITS_OWN = /^\s*(?:#{1,6}\s|[-*+•>|]|\(?\d{1,3}[.)]\s|$)/;
const OPEN_LINE_END = /[,;\-–—(]\s*$/;

/**
 * Calls `each` with the end of every sentence, including the white space after it, and whether it is a heading. Uses
 * Unicode's language-neutral rules, corrected where they split at abbreviations, list numbers and wrapped lines.
 */
export function forEachSentence(text: string, each: (end: number, isHeading: boolean) => void): void {
  let start = 0;
  let end = 0;
  const close = () => {
    if (end > start) each(end, HEADING.test(text.slice(start, Math.min(end, start + 16))));
    start = end;
  };
  forEachSegment(text, (segmentEnd) => {
    if (end > start && !isJoined(text, start, end, segmentEnd)) close();
    end = segmentEnd;
  });
  close();
}

/** Whether the segment from `end` to `next` continues the sentence from `start` to `end`. */
function isJoined(text: string, start: number, end: number, next: number): boolean {
  // The rules use only the text around the boundary, which keeps long sentences cheap.
  const left = text.slice(Math.max(start, end - 32), end);
  const right = text.slice(end, Math.min(next, end + 32));
  if (right.trim() === '') return true;
  if (/[\n\r\u2028\u2029]\s*$/.test(left)) return isWrapped(text.slice(start, Math.min(end, start + 16)), left, right);
  return ABBREVIATION.test(left) || (end - start <= 8 && COUNTER.test(left));
}

/** Whether a line break is only a wrapped line: the next one continues in lower case, or this one ends in an open mark. `beginning` is that of the sentence. */
function isWrapped(beginning: string, left: string, right: string): boolean {
  if (/\n\s*\n\s*$/.test(left) || LINE_START_OF_ITS_OWN.test(right)) return false;
  // A heading ends with its line, so the text after it is never a continuation.
  if (HEADING.test(beginning)) return false;
  return /^\s*\p{Ll}/u.test(right) || OPEN_LINE_END.test(left);
}

/** Calls `each` with the segmenter's sentence ends, block by block; the last sentence of a block is segmented again with the next block. */
function forEachSegment(text: string, each: (end: number) => void): void {
  let block = BLOCK;
  for (let from = 0; from < text.length; ) {
    const to = Math.min(text.length, from + block);
    let last = 0;
    for (const { index } of segments(text.slice(from, to), 'sentence')) {
      if (index > 0) each(from + index);
      last = index;
    }
    if (last === 0 && to < text.length && block < LONGEST_SENTENCE) {
      block *= 2;
      continue;
    }
    if (to === text.length || last === 0) each(to);
    from = to === text.length || last === 0 ? to : from + last;
    block = BLOCK;
  }
}
