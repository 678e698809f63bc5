import type { Budget } from './budget.ts';
import { limitFailure } from './failure.ts';
import { TEMPLATE_LIMITS } from './limits.ts';
import { isList, isMap, type Value } from './value.ts';

/** Formats a value as Java does: `2.0`, `[a, b]`, `{k=v}`, `2026-03-03T09:30:00Z`. Null is empty at the top level. */
export function print(value: Value, budget: Budget): string {
  return value === null ? '' : nested(value, budget);
}

/** As `print`, but `null` for null, as Java formats it inside lists and in `+`. */
export function nested(value: Value, budget: Budget): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return printDouble(value);
  if (value instanceof Date) return printInstant(value);
  if (isList(value)) return budget.deeper(() => `[${joinedValues([...value], ', ', budget)}]`);
  if (!isMap(value)) return String(value);
  return budget.deeper(() => {
    const entries = [...value].map(([key, entry]) => `${key}=${nested(entry, budget)}`);
    return `{${joinedValues(entries, ', ', budget)}}`;
  });
}

/** The formatted values, joined. */
export function joinedValues(values: readonly Value[], separator: string, budget: Budget): string {
  budget.makeElements(values.length);
  const texts: string[] = [];
  let length = 0;
  for (const value of values) {
    const text = nested(value, budget);
    length += text.length + separator.length;
    // Before the next part is kept, so that the parts cannot exceed the memory.
    budget.makeText(text.length);
    texts.push(text);
  }
  budget.makeText(length);
  return texts.join(separator);
}

/** Formats as Java's Instant: without a fraction if it is zero. */
export function printInstant(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace('.000Z', 'Z');
}

/** Formats as Java's Double: always with a fraction, scientific below 0.001 and from ten million. */
function printDouble(value: number): string {
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

/** Collects what a template, a macro or a filtered block prints. */
export class TemplateOutput {
  readonly #budget: Budget;
  readonly #parts: string[] = [];
  #bytes = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  write(text: string): void {
    this.#budget.makeText(text.length);
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > TEMPLATE_LIMITS.outputBytes) {
      throw limitFailure(`The template prints more than ${TEMPLATE_LIMITS.outputBytes} bytes`);
    }
    this.#parts.push(text);
  }

  text(): string {
    return this.#parts.join('');
  }
}
