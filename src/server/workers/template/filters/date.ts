import type { Budget } from '../budget.ts';
import { runtimeFailure } from '../failure.ts';
import { printInstant } from '../print.ts';
import { kindOf, type Value } from '../value.ts';
import { dateFormat } from './date-format.ts';
import { dateParse, isoParse } from './date-parse.ts';
import { type Filter, made } from './filter.ts';
import { zoneOffset } from './time-zone.ts';

/** Of writing one date: a pattern of two hundred letters or a time zone that comes for the first time is that slow. */
const PATTERN_STEPS = 50;

export const DATE_FILTERS: Readonly<Record<string, Filter>> = {
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
  if (typeof value !== 'string') throw runtimeFailure('The arguments of date must be texts');
  return made(value, budget);
}

/** Milliseconds since 1970: of a date, of a number that is just that, or of a text. */
function instantOf(input: Value, existing: string | undefined, budget: Budget): number {
  if (input instanceof Date) return input.getTime();
  if (typeof input === 'bigint' || typeof input === 'number') return Math.trunc(Number(input));
  if (typeof input !== 'string') throw runtimeFailure(`${kindOf(input)} is not a date`);
  budget.readText(input.length);
  const parsed = existing === undefined ? isoParse(input) : dateParse(input, existing);
  if (parsed === undefined) throw runtimeFailure('The text is not a date of the expected form');
  return parsed;
}
