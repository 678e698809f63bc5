import { createHash } from 'node:crypto';
import type { Budget } from '../budget.ts';
import { runtimeFailure } from '../failure.ts';
import { TEMPLATE_LIMITS } from '../limits.ts';
import { print } from '../print.ts';
import { placesOf } from '../text-search.ts';
import { isMap, kindOf, type Value } from '../value.ts';
import { type Filter, textFilter, textOf, wholeOf } from './filter.ts';

const ELLIPSIS = '...';

export const TEXT_FILTERS: Readonly<Record<string, Filter>> = {
  abbreviate: {
    parameters: ['length'],
    apply: (input, [length = null], budget) =>
      input === null ? null : abbreviated(textOf(input, budget), wholeOf(length, 'length')),
  },
  base64decode: textFilter((text) => Buffer.from(text, 'base64').toString('utf8')),
  base64encode: textFilter((text) => Buffer.from(text, 'utf8').toString('base64')),
  capitalize: textFilter((text) => text.replace(/\S/, titleCase)),
  lower: textFilter((text) => text.toLowerCase()),
  raw: { parameters: [], apply: (input) => input },
  replace: { parameters: ['replace_pairs', 'replacement'], apply: replace },
  sha256: textFilter((text) => createHash('sha256').update(text).digest('hex')),
  split: { parameters: ['delimiter', 'limit'], apply: split },
  title: textFilter((text, budget) => {
    spendWriting(text, budget);
    return text.replace(/(?<=^|\s)\S/g, titleCase);
  }),
  trim: textFilter((text) => text.trim()),
  upper: textFilter((text) => text.toUpperCase()),
  // The form encoding of the web is the one of Java's URLEncoder.
  urlencode: textFilter((text, budget) => {
    spendWriting(text, budget);
    return new URLSearchParams([['', text]]).toString().slice(1);
  }),
};

/** What looks at each character by itself takes eight times as long as other work on a text. */
function spendWriting(text: string, budget: Budget): void {
  budget.spend(Math.ceil(text.length / 8));
}

/** One character stays one character, as in Java: `ß` has no upper case of that length. */
function titleCase(char: string): string {
  const upper = char.toUpperCase();
  return upper.length === char.length ? upper : char;
}

function abbreviated(text: string, length: number): string {
  if (length < 0) throw runtimeFailure('The argument length must not be negative');
  if (text.length <= length || text.length <= ELLIPSIS.length) return text;
  return length <= ELLIPSIS.length ? text.slice(0, length) : text.slice(0, length - ELLIPSIS.length) + ELLIPSIS;
}

/** With a map of replacements, in its order, as in Pebble; or with two texts. */
function replace(input: Value, [pairs = null, replacement = null]: readonly Value[], budget: Budget): Value {
  if (input === null) return null;
  const text = textOf(input, budget);
  if (typeof pairs === 'string') return replaced(text, pairs, print(replacement, budget), budget);
  if (!isMap(pairs)) throw runtimeFailure(`The argument replace_pairs must be a map or a text, not ${kindOf(pairs)}`);
  let result = text;
  for (const [from, to] of pairs) result = replaced(result, from, print(to, budget), budget);
  return result;
}

function replaced(text: string, from: string, to: string, budget: Budget): string {
  const parts = pieces(text, from, budget);
  // An empty text stands before, between and after all characters.
  const places = from === '' ? text.length + 1 : parts.length - 1;
  budget.makeText(text.length + places * (to.length - from.length));
  return from === '' ? `${to}${parts.map((part) => part + to).join('')}` : parts.join(to);
}

/** The delimiter is taken as it is, never as a regular expression. Empty pieces at the end go, unless a limit is set. */
function split(input: Value, [delimiter = null, limit = null]: readonly Value[], budget: Budget): Value {
  if (input === null) return null;
  if (typeof delimiter !== 'string') throw runtimeFailure('The argument delimiter must be a text');
  const text = textOf(input, budget);
  const most = limit === null ? 0 : wholeOf(limit, 'limit');
  const parts = pieces(text, delimiter, budget);
  if (most > 0 && parts.length > most) {
    return [...parts.slice(0, most - 1), parts.slice(most - 1).join(delimiter)];
  }
  if (most === 0) while (parts.length > 1 && parts.at(-1) === '') parts.pop();
  return parts;
}

function pieces(text: string, delimiter: string, budget: Budget): string[] {
  budget.readText(text.length + delimiter.length);
  // One more than a list may hold is enough to see that it does not fit.
  const most = TEMPLATE_LIMITS.elements + 1;
  const parts = delimiter === '' ? text.split('', most) : between(text, placesOf(text, delimiter, most), delimiter);
  budget.makeElements(parts.length);
  return parts;
}

function between(text: string, places: readonly number[], { length }: string): string[] {
  const ends = [...places, text.length];
  return ends.map((end, index) => text.slice(index === 0 ? 0 : (places[index - 1] ?? 0) + length, end));
}
