import type { Budget } from '../budget.ts';
import { runtimeFailure } from '../failure.ts';
import { print } from '../print.ts';
import { isList, isMap, isNumber, kindOf, type Value } from '../value.ts';

export interface TemplateFilter {
  /** The names of the arguments after the input, in order. */
  parameters: readonly string[];
  /** `args` has as many entries as there are parameters, null where one was left out. */
  apply(input: Value, args: readonly Value[], budget: Budget): Value;
}

/** A filter from a string to a string; null stays null, numbers and dates are printed first. */
export function textFilter(change: (text: string, budget: Budget) => string): TemplateFilter {
  return {
    parameters: [],
    apply(input, _, budget) {
      if (input === null) return null;
      const text = stringArgument(input, budget);
      budget.readText(text.length);
      return made(change(text, budget), budget);
    },
  };
}

/** Counts a new string in the budget and returns it. */
export function made(text: string, budget: Budget): string {
  budget.makeText(text.length);
  return text;
}

export function stringArgument(value: Value, budget: Budget): string {
  if (isList(value) || isMap(value)) throw runtimeFailure(`Expected a string, got ${kindOf(value)}`);
  return print(value, budget);
}

/** An argument as an integer; 0 for NaN, as in Java. */
export function wholeOf(value: Value, name: string): number {
  if (!isNumber(value)) throw runtimeFailure(`The argument ${name} must be a number`);
  return Math.trunc(Number(value)) || 0;
}
