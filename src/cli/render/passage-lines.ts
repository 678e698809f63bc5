import type { Passage } from '../retrieval/memory-text.ts';
import type { TextLine } from './retrieve-card.ts';
import { wrapText } from './wrap-text.ts';

/** The lines of a passage; what was found begins and ends a line of its own. */
export function passageLines({ before, found, after }: Passage, width: number): TextLine[] {
  // The line feed at a seam ends the line above it; it makes no empty line.
  const ends = (text: string): string => text.replace(/\r?\n$/, '');
  const begins = (text: string, previous: string): string =>
    previous === '' || previous.endsWith('\n') ? text : text.replace(/^\r?\n/, '');
  const linesOf = (text: string, isFound: boolean): TextLine[] =>
    text === '' ? [] : wrapText(ends(text), width).map((line) => ({ text: line, isFound }));
  return [...linesOf(before, false), ...linesOf(begins(found, before), true), ...linesOf(begins(after, found), false)];
}
