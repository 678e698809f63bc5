import type { Budget } from '../budget.ts';
import { runtimeFailure } from '../failure.ts';
import { compareValues } from '../operators.ts';
import { joinedValues, print } from '../print.ts';
import { isEmpty, isList, isMap, kindOf, type ListValue, type Value } from '../value.ts';
import { made, type TemplateFilter, wholeOf } from './filter.ts';

export const LIST_FILTERS: Readonly<Record<string, TemplateFilter>> = {
  default: {
    parameters: ['default'],
    apply: (input, [fallback = null], budget) => (isEmpty(input, budget) ? fallback : input),
  },
  first: { parameters: [], apply: (input) => end(input, 0) },
  join: {
    parameters: ['separator'],
    apply: (input, [separator = null], budget) =>
      input === null ? null : joinedValues(listOf(input), print(separator, budget), budget),
  },
  last: { parameters: [], apply: (input) => end(input, -1) },
  length: { parameters: [], apply: (input) => BigInt(length(input)) },
  merge: { parameters: ['items'], apply: merge },
  reverse: {
    parameters: [],
    apply: (input, _, budget) => (input === null ? null : counted(listOf(input), budget).reverse()),
  },
  rsort: { parameters: [], apply: (input, _, budget) => sorted(input, budget, -1) },
  slice: { parameters: ['fromIndex', 'toIndex'], apply: slice },
  sort: { parameters: [], apply: (input, _, budget) => sorted(input, budget, 1) },
};

function listOf(input: Value): ListValue {
  if (!isList(input)) throw runtimeFailure(`Expected a list, got ${kindOf(input)}`);
  return input;
}

/** A mutable copy. */
function counted(list: ListValue, budget: Budget): Value[] {
  budget.makeElements(list.length);
  return [...list];
}

function end(input: Value, at: 0 | -1): Value {
  if (input === null) return null;
  if (typeof input === 'string') return input.at(at) ?? null;
  return listOf(input).at(at) ?? null;
}

function length(input: Value): number {
  if (typeof input === 'string' || isList(input)) return input.length;
  return isMap(input) ? input.size : 0;
}

function sorted(input: Value, budget: Budget, direction: 1 | -1): Value {
  if (input === null) return null;
  return counted(listOf(input), budget).sort((left, right) => {
    budget.spend(1);
    return direction * compareValues(left, right, budget);
  });
}

/** Indexes beyond the end are clamped to it, where Pebble fails. */
function slice(input: Value, [fromIndex = null, toIndex = null]: readonly Value[], budget: Budget): Value {
  if (input === null) return null;
  if (typeof input !== 'string' && !isList(input)) throw runtimeFailure(`Cannot slice ${kindOf(input)}`);
  const from = fromIndex === null ? 0 : wholeOf(fromIndex, 'fromIndex');
  const to = toIndex === null ? input.length : wholeOf(toIndex, 'toIndex');
  if (from < 0 || to < 0) throw runtimeFailure('The arguments fromIndex and toIndex must not be negative');
  if (typeof input === 'string') return made(input.slice(from, to), budget);
  budget.makeElements(Math.max(0, Math.min(to, input.length) - from));
  return input.slice(from, to);
}

/** The left side decides the type of the result: a map or a list. */
function merge(input: Value, [items = null]: readonly Value[], budget: Budget): Value {
  if (input === null || items === null) return input ?? items;
  budget.makeElements(length(input) + length(items));
  if (isMap(input)) {
    if (isMap(items)) return new Map([...input, ...items]);
    return new Map([...input, ...listOf(items).map((item): [string, Value] => [print(item, budget), item])]);
  }
  const added = isMap(items)
    ? Array.from(
        items,
        ([key, value]) =>
          new Map<string, Value>([
            ['key', key],
            ['value', value],
          ]),
      )
    : listOf(items);
  return [...listOf(input), ...added];
}
