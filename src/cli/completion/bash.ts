import { cut, displayWidth, padEnd } from '../kit/text/printable.ts';
import type { CompletionCandidate } from './live-names.ts';

/** COMP_TYPE of `menu-complete` and `insert-completions`: what is answered is inserted as it stands. */
const INSERTING = ['37', '42'];
const DEFAULT_COLUMNS = 80;

/**
 * What COMPREPLY is to hold, an entry a line. Bash replaces only the part of a word behind the last `:` or `=`, and lists
 * entries as they are: with several of them the descriptions stand behind, where they cannot become part of what all
 * entries have in common.
 */
export function bashAnswer(
  candidates: readonly CompletionCandidate[],
  line: BashLine,
  values: readonly string[],
): string {
  const [seen = '', type = '', columns = ''] = values;
  const fixed = splitLine(fixedPart(line.raw, seen)).words.at(-1) ?? '';
  const fitting = candidates.filter(({ value }) => value.startsWith(fixed));
  const entries = fitting.map(({ value, text }) => ({
    value: quoteFor(value.slice(fixed.length), line.quote),
    text,
  }));
  const isShown = entries.length > 1 && !INSERTING.includes(type);
  const width = Math.max(0, ...entries.map(({ value }) => displayWidth(value)));
  const shown = entries.map(({ value, text }) =>
    isShown && text !== '' ? cut(`${padEnd(value, width)}  (${text})`, columnsOf(columns)) : value,
  );
  return shown.map((entry) => `${entry}\n`).join('');
}

/** What of the typed word bash leaves alone: what stands before the part that it calls the current word. */
function fixedPart(raw: string, seen: string): string {
  // At a separator bash calls that the current word, and inserts behind it.
  if (/^[:=]+$/.test(seen)) return raw;
  return raw.endsWith(seen) ? raw.slice(0, raw.length - seen.length) : '';
}

function columnsOf(text: string): number {
  return (/^\d+$/.test(text) && Number(text) > 0 ? Number(text) : DEFAULT_COLUMNS) - 1;
}

/** A line of bash up to the cursor. */
interface BashLine {
  /** Without quotes; the last one is under the cursor. */
  readonly words: readonly string[];
  /** The last word as it was typed. */
  readonly raw: string;
  /** The quote that is still open at the cursor. */
  readonly quote: '"' | "'" | undefined;
}

/** Cuts a line into words as bash does, as far as plain words and quotes go. Nothing in it is ever executed. */
export function splitLine(line: string): BashLine {
  const words: string[] = [];
  let word: string | undefined;
  let start = line.length;
  let quote: '"' | "'" | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at] ?? '';
    if (quote === undefined && /\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    if (word === undefined) start = at;
    word ??= '';
    if (letter === quote) quote = undefined;
    else if (quote === undefined && (letter === '"' || letter === "'")) quote = letter;
    else if (letter === '\\' && escapes(line[at + 1], quote)) word += line[++at] ?? '';
    else word += letter;
  }
  return { words: [...words, word ?? ''], raw: word === undefined ? '' : line.slice(start), quote };
}

function escapes(next: string | undefined, quote: '"' | "'" | undefined): boolean {
  if (quote === "'") return false;
  return quote === undefined || (next !== undefined && '"\\$`'.includes(next));
}

/** The text so that bash reads it back as one word, or as the rest of a word whose quote is open. */
function quoteFor(text: string, quote: '"' | "'" | undefined): string {
  if (quote === "'") return text.replaceAll("'", "'\\''");
  // Between double quotes a `!` calls the history, and a backslash before it stays: it has to stand outside of them.
  if (quote === '"') return text.replace(/["\\$`]/g, '\\$&').replaceAll('!', '"\\!"');
  return text.replace(/[^\w@%+=:,./-]/gu, (letter) => (/[\u0080-\u{10ffff}]/u.test(letter) ? letter : `\\${letter}`));
}
