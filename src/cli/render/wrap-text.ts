import { wrap } from './display-width.ts';
import { severalLines } from './printable.ts';

const TAB = '    ';
const DEEPEST = 20;

/** Text of others in lines of at most `width` columns. What a line begins with is kept in front of what is wrapped. */
export function wrapText(text: string, width: number): string[] {
  return severalLines(text)
    .split('\n')
    .flatMap((line) => wrapLine(line.replaceAll('\t', TAB), width));
}

function wrapLine(line: string, width: number): string[] {
  const depth = Math.min(line.length - line.trimStart().length, DEEPEST, Math.floor(width / 2));
  const indent = ' '.repeat(depth);
  return wrap(line.trimStart(), width - depth).map((part) => `${indent}${part}`.trimEnd());
}
