import stringWidth from 'string-width';
import { forEachGrapheme } from '../../../shared/text.ts';

const CONTROLS = /(?![\n\t])\p{Cc}/gu;
const CONTROL_RUNS = /[\p{Cc}\u2028\u2029]+/gu;

/** Text of others for one line: no control character reaches the terminal, every run of them becomes one space. */
export function oneLine(text: string): string {
  return text.replace(CONTROL_RUNS, ' ').trim();
}

/** Text of others for several lines: line feeds and tabs stay, every other control character is dropped. */
export function severalLines(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROLS, '');
}

/** As many characters as the service itself shows of a key, to tell it from others. */
const SHOWN = 8;
/** A text shorter than this would be given away by its beginning. */
const SHORTEST_SHOWN = 24;

/** A key as it may be shown: `svc_ab12…`. Of what is not shaped like a key nothing is shown. */
export function maskKey(key: string): string {
  return key.startsWith('svc_') && key.length >= SHORTEST_SHOWN ? `${key.slice(0, SHOWN)}…` : '…';
}

/**
 * Characters of one column, alone and in any order: Latin, Greek, Cyrillic, punctuation, arrows, lines, blocks and Braille.
 * The patterns by which the library finds emoji take 30 ms to compile, which a table in these need not wait for.
 */
const ONE_COLUMN_EACH =
  /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0377\u037a-\u037f\u0384-\u038a\u038e-\u03a1\u03a3-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u25fc\u2800-\u28ff]*$/;

/** Columns that a text without control characters takes on a terminal. */
export function displayWidth(text: string): number {
  return ONE_COLUMN_EACH.test(text) ? text.length : stringWidth(text);
}

/** The text itself when it fits, else as much of it as fits with `…` at the end. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width <= 0) return '';
  let room = width - 1;
  let head = '';
  for (const character of charactersOf(text)) {
    room -= displayWidth(character);
    if (room < 0) break;
    head += character;
  }
  return `${head.trimEnd()}…`;
}

/** The same with the `…` at its start and as much of its end as fits. */
export function cutStart(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width <= 0) return '';
  let room = width - 1;
  let tail = '';
  for (const character of charactersOf(text).reverse()) {
    room -= displayWidth(character);
    if (room < 0) break;
    tail = character + tail;
  }
  return `…${tail.trimStart()}`;
}

/** What people see as one character each. */
function charactersOf(text: string): string[] {
  const characters: string[] = [];
  let at = 0;
  forEachGrapheme(text, 0, text.length, (end) => {
    characters.push(text.slice(at, end));
    at = end;
  });
  return characters;
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text))) + text;
}

/**
 * Lines of at most `width` columns, broken between words where there are any. The package wrap-ansi cuts characters of
 * several code points, such as the emoji of a family, into pieces, and takes a second for 100 kB where this takes 20 ms.
 */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, width)));
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const joined = current === '' ? word : `${current} ${word}`;
    if (displayWidth(joined) <= width) {
      current = joined;
      continue;
    }
    if (current !== '') lines.push(current);
    const pieces = piecesOf(word, width);
    current = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  return [...lines, current];
}

/** A word in pieces of at most `width` columns, of one character at least. */
function piecesOf(word: string, width: number): string[] {
  if (displayWidth(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  let columns = 0;
  for (const character of charactersOf(word)) {
    const own = displayWidth(character);
    if (columns + own > width && piece !== '') {
      pieces.push(piece);
      piece = '';
      columns = 0;
    }
    piece += character;
    columns += own;
  }
  return [...pieces, piece];
}

/** A space at which no line is cut. Renderers write it in their own way. */
export const NO_BREAK = '\u00a0';

/** The text in lines of at most `width` columns, cut between words; a longer word keeps a line of its own. */
export function fill(text: string, width: number): string[] {
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

const TAB = '    ';
const DEEPEST = 20;

/** Text of others in lines of at most `width` columns. What a line begins with is kept in front of what is wrapped. */
export function wrapText(text: string, width: number): string[] {
  return severalLines(text)
    .split('\n')
    .flatMap((line) => wrapIndented(line.replaceAll('\t', TAB), width));
}

function wrapIndented(line: string, width: number): string[] {
  const depth = Math.min(line.length - line.trimStart().length, DEEPEST, Math.floor(width / 2));
  const indent = ' '.repeat(depth);
  return wrap(line.trimStart(), width - depth).map((part) => `${indent}${part}`.trimEnd());
}
