import { wrapText } from '../kit/text/printable.ts';
import type { Passage } from '../retrieval/memory-text.ts';
import type { TextLine } from './retrieve-card.ts';

/** The lines of a passage; what was found begins and ends a line of its own. */
export function passageLines({ before, found, after }: Passage, width: number): TextLine[] {
  const [, lead = '', core = '', trail = ''] = /^(\s*\n)?(.*?)(\s*)$/s.exec(found) ?? [];
  const linesOf = (text: string, isFound: boolean): TextLine[] =>
    text === '' ? [] : wrapText(text, width).map((line) => ({ text: line, isFound }));
  // The line feed at a seam ends the line above it; it makes no empty line.
  return [
    ...linesOf(`${before}${lead}`.replace(/\r?\n$/, ''), false),
    ...linesOf(core, true),
    ...linesOf(`${trail}${after}`.trimEnd().replace(/^[ \t]*\r?\n/, ''), false),
  ];
}
