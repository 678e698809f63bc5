import { displayWidth } from '../render/display-width.ts';

/** A space at which no line is cut. Renderers write it in their own way. */
export const NO_BREAK = '\u00a0';

/** The text in lines of at most `width` columns, cut between words; a longer word keeps a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/[ \t\n]+/).filter((part) => part !== '')) {
    if (line !== '' && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}
