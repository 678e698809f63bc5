import type { Budget } from '../budget.ts';
import { runtimeFailure } from '../failure.ts';
import { print } from '../print.ts';
import { isList, isMap, isNumber, kindOf, type Value } from '../value.ts';

export interface Filter {
  /** The names of the arguments behind the input, in order. */
  parameters: readonly string[];
  /** As many arguments as there are parameters, null where one was left out. */
  apply(input: Value, args: readonly Value[], budget: Budget): Value;
}

/** A filter that makes a text from a text; null stays null, numbers and dates are printed first. */
export function textFilter(change: (text: string, budget: Budget) => string): Filter {
  return {
    parameters: [],
    apply(input, _, budget) {
      if (input === null) return null;
      const text = textOf(input, budget);
      budget.readText(text.length);
      return made(change(text, budget), budget);
    },
  };
}

/** Counts a new text. */
export function made(text: string, budget: Budget): string {
  budget.makeText(text.length);
  return text;
}

export function textOf(value: Value, budget: Budget): string {
  if (isList(value) || isMap(value)) throw runtimeFailure(`Expected a text, got ${kindOf(value)}`);
  return print(value, budget);
}

/** A whole number that an argument gives; 0 for no number, as in Java. */
export function wholeOf(value: Value, name: string): number {
  if (!isNumber(value)) throw runtimeFailure(`The argument ${name} must be a number`);
  return Math.trunc(Number(value)) || 0;
}
