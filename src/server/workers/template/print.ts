import type { Budget } from './budget.ts';
import { isList, isMap, type Value } from './value.ts';

/** A value as text, in Java's form: `2.0`, `[a, b]`, `{k=v}`, `2026-03-03T09:30:00Z`. Null is empty at the top. */
export function print(value: Value, budget: Budget): string {
  return value === null ? '' : nested(value, budget);
}

/** As `print`, with `null` for null: how Java prints it inside lists and in `+`. */
export function nested(value: Value, budget: Budget): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return printDouble(value);
  if (value instanceof Date) return printInstant(value);
  if (isList(value)) return budget.deeper(() => `[${joined([...value], ', ', budget)}]`);
  if (!isMap(value)) return String(value);
  return budget.deeper(() => {
    const entries = [...value].map(([key, entry]) => `${key}=${nested(entry, budget)}`);
    return `{${joined(entries, ', ', budget)}}`;
  });
}

/** The printed values one after the other. */
export function joined(values: readonly Value[], separator: string, budget: Budget): string {
  budget.makeElements(values.length);
  const texts: string[] = [];
  let length = 0;
  for (const value of values) {
    const text = nested(value, budget);
    length += text.length + separator.length;
    // Before the parts are held together, so that they cannot outgrow the memory either.
    budget.makeText(text.length);
    texts.push(text);
  }
  budget.makeText(length);
  return texts.join(separator);
}

/** As Java's Instant prints it: without a fraction where there is none. */
export function printInstant(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace('.000Z', 'Z');
}

/** As Java's Double prints it: always a fraction, scientific below 0.001 and from ten million. */
export function printDouble(value: number): string {
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 'NaN';
  if (size === Number.POSITIVE_INFINITY) return value > 0 ? 'Infinity' : '-Infinity';
  if (size === 0 || (size >= 1e-3 && size < 1e7)) {
    const text = Object.is(value, -0) ? '-0' : String(value);
    return text.includes('.') ? text : `${text}.0`;
  }
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${exponent.replace('+', '')}`;
}
