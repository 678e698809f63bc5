import { cut, displayWidth, padEnd } from '../kit/text/printable.ts';
import { type BashLine, quoteFor, splitLine } from './bash-line.ts';
import type { Candidate } from './candidate.ts';

/** COMP_TYPE of `menu-complete` and `insert-completions`: what is answered is inserted as it stands. */
const INSERTING = ['37', '42'];
const DEFAULT_COLUMNS = 80;

/**
 * What COMPREPLY is to hold, an entry a line. Bash replaces only the part of a word behind the last `:` or `=`, and lists
 * entries as they are: with several of them the descriptions stand behind, where they cannot become part of what all
 * entries have in common.
 */
export function bashAnswer(candidates: readonly Candidate[], line: BashLine, values: readonly string[]): string {
  const [seen = '', type = '', columns = ''] = values;
  const settled = splitLine(settledPart(line.raw, seen)).words.at(-1) ?? '';
  const fitting = candidates.filter(({ value }) => value.startsWith(settled));
  const entries = fitting.map(({ value, text }) => ({
    value: quoteFor(value.slice(settled.length), line.quote),
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
function settledPart(raw: string, seen: string): string {
  // At a separator bash calls that the current word, and inserts behind it.
  if (/^[:=]+$/.test(seen)) return raw;
  return raw.endsWith(seen) ? raw.slice(0, raw.length - seen.length) : '';
}

function columnsOf(text: string): number {
  return (/^\d+$/.test(text) && Number(text) > 0 ? Number(text) : DEFAULT_COLUMNS) - 1;
}
