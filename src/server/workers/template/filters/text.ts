import { createHash } from 'node:crypto';
import type { Budget } from '../budget.ts';
import { runtimeFailure } from '../failure.ts';
import { TEMPLATE_LIMITS } from '../limits.ts';
import { print } from '../print.ts';
import { placesOf } from '../text-search.ts';
import { isMap, kindOf, type Value } from '../value.ts';
import { stringArgument, type TemplateFilter, textFilter, wholeOf } from './filter.ts';

const ELLIPSIS = '...';

export const TEXT_FILTERS: Readonly<Record<string, TemplateFilter>> = {
  abbreviate: {
    parameters: ['length'],
    apply: (input, [length = null], budget) =>
      input === null ? null : abbreviated(stringArgument(input, budget), wholeOf(length, 'length')),
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
  // URLSearchParams has the same form encoding as Java's URLEncoder.
  urlencode: textFilter((text, budget) => {
    spendWriting(text, budget);
    return new URLSearchParams([['', text]]).toString().slice(1);
  }),
};

/** Work on single characters takes eight times as long as other work on a string. */
function spendWriting(text: string, budget: Budget): void {
  budget.spend(Math.ceil(text.length / 8));
}

/** As in Java, one character maps to one character: `ß` has no upper case of that length. */
function titleCase(char: string): string {
  const upper = char.toUpperCase();
  return upper.length === char.length ? upper : char;
}

function abbreviated(text: string, length: number): string {
  if (length < 0) throw runtimeFailure('The argument length must not be negative');
  if (text.length <= length || text.length <= ELLIPSIS.length) return text;
  return length <= ELLIPSIS.length ? text.slice(0, length) : text.slice(0, length - ELLIPSIS.length) + ELLIPSIS;
}

/** With a map of replacements, applied in its order, as in Pebble; or with two strings. */
function replace(input: Value, [pairs = null, replacement = null]: readonly Value[], budget: Budget): Value {
  if (input === null) return null;
  const text = stringArgument(input, budget);
  if (typeof pairs === 'string') return replaced(text, pairs, print(replacement, budget), budget);
  if (!isMap(pairs)) throw runtimeFailure(`The argument replace_pairs must be a map or a string, not ${kindOf(pairs)}`);
  let result = text;
  for (const [from, to] of pairs) result = replaced(result, from, print(to, budget), budget);
  return result;
}

function replaced(text: string, from: string, to: string, budget: Budget): string {
  const parts = pieces(text, from, budget);
  // An empty string matches before, between and after all characters.
  const places = from === '' ? text.length + 1 : parts.length - 1;
  budget.makeText(text.length + places * (to.length - from.length));
  return from === '' ? `${to}${parts.map((part) => part + to).join('')}` : parts.join(to);
}

/** The delimiter is literal, never a regular expression. Empty pieces at the end are removed, unless a limit is set. */
function split(input: Value, [delimiter = null, limit = null]: readonly Value[], budget: Budget): Value {
  if (input === null) return null;
  if (typeof delimiter !== 'string') throw runtimeFailure('The argument delimiter must be a string');
  const text = stringArgument(input, budget);
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
  // One more than the limit of a list is enough to detect that it is exceeded.
  const most = TEMPLATE_LIMITS.elements + 1;
  const parts = delimiter === '' ? text.split('', most) : between(text, placesOf(text, delimiter, most), delimiter);
  budget.makeElements(parts.length);
  return parts;
}

function between(text: string, places: readonly number[], { length }: string): string[] {
  const ends = [...places, text.length];
  return ends.map((end, index) => text.slice(index === 0 ? 0 : (places[index - 1] ?? 0) + length, end));
}
