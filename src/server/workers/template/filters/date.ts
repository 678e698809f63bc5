import type { Budget } from '../budget.ts';
import { quoted, runtimeFailure } from '../failure.ts';
import { printInstant } from '../print.ts';
import { kindOf, type Value } from '../value.ts';
import { dateParse, isoParse } from './date-parse.ts';
import { DAYS, datePieces, MONTHS } from './date-pattern.ts';
import { made, type TemplateFilter } from './filter.ts';
import { offsetText, zoneOffset } from './time-zone.ts';

/** Steps for formatting one date: a pattern of two hundred letters, or the first use of a time zone, costs that much. */
const PATTERN_STEPS = 50;

export const DATE_FILTERS: Readonly<Record<string, TemplateFilter>> = {
  date: { parameters: ['format', 'existingFormat', 'timeZone'], apply: date },
};

function date(input: Value, args: readonly Value[], budget: Budget): Value {
  if (input === null) return null;
  const [format, existing, zone = 'UTC'] = args.map((arg) => optionalText(arg, budget));
  const instant = instantOf(input, existing, budget);
  if (Math.abs(instant) > 8.64e15 || Number.isNaN(instant)) throw runtimeFailure('The date is out of range');
  if (format === undefined) return printInstant(new Date(instant));
  budget.spend(PATTERN_STEPS);
  return made(dateFormat(instant, zoneOffset(zone, instant), zone, format), budget);
}

function optionalText(value: Value, budget: Budget): string | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'string') throw runtimeFailure('The arguments of date must be strings');
  return made(value, budget);
}

/** Milliseconds since 1970 of a date, a number or a string. */
function instantOf(input: Value, existing: string | undefined, budget: Budget): number {
  if (input instanceof Date) return input.getTime();
  if (typeof input === 'bigint' || typeof input === 'number') return Math.trunc(Number(input));
  if (typeof input !== 'string') throw runtimeFailure(`${kindOf(input)} is not a date`);
  budget.readText(input.length);
  const parsed = existing === undefined ? isoParse(input) : dateParse(input, existing);
  if (parsed === undefined) throw runtimeFailure('The string is not a date of the expected form');
  return parsed;
}

interface Moment {
  /** The local time as the UTC fields of a date. */
  local: Date;
  /** Milliseconds east of UTC. */
  offset: number;
  zone: string;
}

type Field = (moment: Moment, count: number) => string;

const DAY_MS = 86_400_000;

/** The letters of Java's date patterns; names are English. */
const FIELDS: Readonly<Record<string, Field>> = {
  G: () => 'AD',
  y: ({ local }, count) => year(local, count),
  u: ({ local }, count) => year(local, count),
  M: ({ local }, count) => month(local, count),
  L: ({ local }, count) => month(local, count),
  d: ({ local }, count) => padded(local.getUTCDate(), count),
  D: ({ local }, count) => padded(dayOfYear(local), count),
  E: ({ local }, count) => name(DAYS, local.getUTCDay(), count > 3),
  a: ({ local }) => (local.getUTCHours() < 12 ? 'AM' : 'PM'),
  H: ({ local }, count) => padded(local.getUTCHours(), count),
  k: ({ local }, count) => padded(local.getUTCHours() || 24, count),
  K: ({ local }, count) => padded(local.getUTCHours() % 12, count),
  h: ({ local }, count) => padded(local.getUTCHours() % 12 || 12, count),
  m: ({ local }, count) => padded(local.getUTCMinutes(), count),
  s: ({ local }, count) => padded(local.getUTCSeconds(), count),
  S: ({ local }, count) => String(local.getUTCMilliseconds()).padStart(3, '0').padEnd(count, '0').slice(0, count),
  Q: ({ local }, count) => `${count > 2 ? 'Q' : ''}${Math.floor(local.getUTCMonth() / 3) + 1}`,
  z: ({ zone }) => zone,
  V: ({ zone }) => zone,
  Z: ({ offset }) => offsetText(offset, ''),
  X: ({ offset }, count) => (offset === 0 ? 'Z' : numericOffset(offset, count)),
  x: ({ offset }, count) => numericOffset(offset, count),
};

/** `instant` and `offset` in milliseconds. Throws a runtime failure for an unknown letter. */
function dateFormat(instant: number, offset: number, zone: string, pattern: string): string {
  const moment = { local: new Date(instant + offset), offset, zone };
  if (Number.isNaN(moment.local.getTime())) throw runtimeFailure('The date is out of range');
  const texts = datePieces(pattern).map((piece) => {
    if ('text' in piece) return piece.text;
    const field = FIELDS[piece.letter];
    if (field === undefined) throw runtimeFailure(`The date pattern letter ${quoted(piece.letter)} is not known`);
    return field(moment, piece.count);
  });
  return texts.join('');
}

function padded(value: number, count: number): string {
  return String(value).padStart(count, '0');
}

function year(local: Date, count: number): string {
  const value = local.getUTCFullYear();
  return count === 2 ? padded(Math.abs(value) % 100, 2) : padded(value, count);
}

function month(local: Date, count: number): string {
  return count < 3 ? padded(local.getUTCMonth() + 1, count) : name(MONTHS, local.getUTCMonth(), count > 3);
}

function name(names: readonly string[], index: number, full: boolean): string {
  const word = names[index] ?? '';
  return full ? word : word.slice(0, 3);
}

function dayOfYear(local: Date): number {
  return Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / DAY_MS) + 1;
}

function numericOffset(offset: number, count: number): string {
  if (count === 1) return offsetText(offset, '').replace(/00$/, '');
  return offsetText(offset, count === 3 ? ':' : '');
}
