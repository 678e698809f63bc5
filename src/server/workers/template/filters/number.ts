import type { Budget } from '../budget.ts';
import { runtimeFailure } from '../failure.ts';
import { isNumber, kindOf, type Value } from '../value.ts';
import { formatDecimal } from './decimal-format.ts';
import { type Filter, made } from './filter.ts';

/** Without a pattern: thousands apart and up to three digits of the fraction, as Java does it in English. */
const DEFAULT_PATTERN = '#,##0.###';

export const NUMBER_FILTERS: Readonly<Record<string, Filter>> = {
  abs: { parameters: [], apply: (input) => (input === null ? null : absolute(numberOf(input))) },
  numberformat: { parameters: ['format'], apply: numberFormat },
};

function numberOf(input: Value): bigint | number {
  if (!isNumber(input)) throw runtimeFailure(`Expected a number, got ${kindOf(input)}`);
  return input;
}

function absolute(value: bigint | number): Value {
  if (typeof value === 'number') return Math.abs(value);
  // Of the least 64-bit number there is none, and Java gives it back too.
  return BigInt.asIntN(64, value < 0n ? -value : value);
}

function numberFormat(input: Value, [format = null]: readonly Value[], budget: Budget): Value {
  if (input === null) return null;
  const pattern = format ?? DEFAULT_PATTERN;
  if (typeof pattern !== 'string') throw runtimeFailure('The argument format must be a text');
  return made(formatDecimal(numberOf(input), made(pattern, budget)), budget);
}
