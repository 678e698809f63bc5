import type { Budget } from '../budget.ts';
import { runtimeFailure } from '../failure.ts';
import { isNumber, kindOf, type Value } from '../value.ts';
import { made, type TemplateFilter } from './filter.ts';

/** The default pattern of Java for English: thousands separators and up to three decimals. */
const DEFAULT_PATTERN = '#,##0.###';

export const NUMBER_FILTERS: Readonly<Record<string, TemplateFilter>> = {
  abs: { parameters: [], apply: (input) => (input === null ? null : absolute(numberOf(input))) },
  numberformat: { parameters: ['format'], apply: numberFormat },
};

function numberOf(input: Value): bigint | number {
  if (!isNumber(input)) throw runtimeFailure(`Expected a number, got ${kindOf(input)}`);
  return input;
}

function absolute(value: bigint | number): Value {
  if (typeof value === 'number') return Math.abs(value);
  // The smallest 64-bit integer has no positive counterpart; Java returns it unchanged too.
  return BigInt.asIntN(64, value < 0n ? -value : value);
}

function numberFormat(input: Value, [format = null]: readonly Value[], budget: Budget): Value {
  if (input === null) return null;
  const pattern = format ?? DEFAULT_PATTERN;
  if (typeof pattern !== 'string') throw runtimeFailure('The argument format must be a string');
  return made(formatDecimal(numberOf(input), made(pattern, budget)), budget);
}

/** The positive or negative half of a pattern of Java's DecimalFormat. */
interface NumberPattern {
  prefix: string;
  suffix: string;
  /** 100 for `%`, 1000 for `‰`. */
  factor: number;
  /** Digits between separators; 0 for no separators. */
  grouping: number;
  minWhole: number;
  minFraction: number;
  maxFraction: number;
}

const MAX_FRACTION = 40;
const MAX_LENGTH = 200;
const DIGITS = /[#0,.]+/;

/**
 * Formats a number by a pattern of Java's DecimalFormat: `0`, `#`, `,`, `.`, `%`, `‰`, text around them, text in
 * single quotes, and a second pattern for negative numbers after `;`. Rounds half to even. No exponents.
 */
function formatDecimal(value: bigint | number, pattern: string): string {
  if (pattern.length > MAX_LENGTH) throw runtimeFailure(`A number format has ${MAX_LENGTH} characters at most`);
  const [positive = '', negative] = split(pattern);
  const format = parse(positive);
  if (typeof value === 'number' && Number.isNaN(value)) return 'NaN';
  const below = value < 0 || Object.is(value, -0);
  const digits = rounded(below ? -value : value, format);
  if (!below) return `${format.prefix}${digits}${format.suffix}`;
  // As in Java, only the text around the digits is taken from the second pattern.
  const { prefix, suffix } = negative === undefined ? { ...format, prefix: `-${format.prefix}` } : parse(negative);
  return `${prefix}${digits}${suffix}`;
}

/** Splits at the first `;` outside of quotes. */
function split(pattern: string): string[] {
  let quoted = false;
  for (const [index, char] of [...pattern].entries()) {
    if (char === "'") quoted = !quoted;
    if (char === ';' && !quoted) return [pattern.slice(0, index), pattern.slice(index + 1)];
  }
  return [pattern];
}

function parse(pattern: string): NumberPattern {
  const texts = literals(pattern);
  const digits = DIGITS.exec(texts.masked);
  if (digits === null) throw runtimeFailure('The format of a number needs digits: 0 or #');
  const [whole = '', fraction = '', ...more] = digits[0].split('.');
  const zeros = fraction.lastIndexOf('0') + 1;
  if (more.length > 0 || fraction.includes(',') || /0[,]*#/.test(whole) || fraction.slice(0, zeros).includes('#')) {
    throw runtimeFailure('The format of a number is malformed');
  }
  if (fraction.length > MAX_FRACTION) throw runtimeFailure(`A number is written with ${MAX_FRACTION} decimals at most`);
  const comma = whole.lastIndexOf(',');
  return {
    prefix: texts.restore(0, digits.index),
    suffix: texts.restore(digits.index + digits[0].length, texts.masked.length),
    factor: texts.masked.includes('%') ? 100 : texts.masked.includes('‰') ? 1000 : 1,
    grouping: comma < 0 ? 0 : whole.length - comma - 1,
    minWhole: whole.replaceAll(/[^0]/g, '').length,
    minFraction: zeros,
    maxFraction: fraction.length,
  };
}

/** Masks the text in quotes, so that digits in it are not digits of the pattern; `''` is one quote. */
function literals(pattern: string): { masked: string; restore(from: number, to: number): string } {
  const chars: string[] = [];
  let masked = '';
  let quoted = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern.charAt(at);
    const double = char === "'" && pattern[at + 1] === "'";
    if (char === "'" && !double) {
      quoted = !quoted;
      continue;
    }
    if (double) at += 1;
    chars.push(char);
    masked += quoted || double ? ' ' : char;
  }
  return { masked, restore: (from, to) => chars.slice(from, to).join('') };
}

function rounded(value: bigint | number, format: NumberPattern): string {
  const { factor, maxFraction, minFraction, minWhole, grouping } = format;
  if (typeof value === 'number' && value * factor === Number.POSITIVE_INFINITY) return '∞';
  const [whole = '', fraction = ''] =
    typeof value === 'bigint'
      ? [(value * BigInt(factor)).toString()]
      : halfEven(value * factor, maxFraction).split('.');
  const kept = fraction.replace(/0+$/, '').padEnd(minFraction, '0');
  const digits = whole === '0' && minWhole === 0 && kept !== '' ? '' : whole.padStart(minWhole, '0');
  return `${grouping > 0 ? grouped(digits, grouping) : digits}${kept === '' ? '' : `.${kept}`}`;
}

function grouped(digits: string, size: number): string {
  const first = digits.length % size || size;
  const groups = [digits.slice(0, first)];
  for (let at = first; at < digits.length; at += size) groups.push(digits.slice(at, at + size));
  return groups.join(',');
}

/** toFixed is exact but rounds ties up; the exact digits after the last decimal show whether it was a tie. */
function halfEven(value: number, decimals: number): string {
  // Doubles of this size have no fraction, and toFixed would write an exponent.
  if (value >= 1e21) return BigInt(value).toString();
  const up = value.toFixed(decimals);
  const behind =
    value
      .toFixed(Math.min(100, decimals + 60))
      .split('.')[1]
      ?.slice(decimals) ?? '';
  if (!/^50*$/.test(behind) || /[02468]$/.test(up)) return up;
  const even = BigInt(up.replace('.', '')) - 1n;
  const digits = even.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
