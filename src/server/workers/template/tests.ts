import type { Budget } from './budget.ts';
import { runtimeFailure } from './failure.ts';
import { isEmpty, isList, isMap, isNumber, kindOf, type Value } from './value.ts';

/** The tests that may follow `is`. */
export const TESTS: Readonly<Record<string, (value: Value, budget: Budget) => boolean>> = {
  defined: (value) => value !== null,
  empty: isEmpty,
  even: (value) => isEven(value),
  iterable: isList,
  map: isMap,
  null: (value) => value === null,
  odd: (value) => !isEven(value),
};

function isEven(value: Value): boolean {
  if (!isNumber(value)) throw runtimeFailure(`Only a number is even or odd, not ${kindOf(value)}`);
  return typeof value === 'bigint' ? value % 2n === 0n : value % 2 === 0;
}
