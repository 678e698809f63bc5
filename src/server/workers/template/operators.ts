import type { BinaryOperator } from './ast.ts';
import type { Budget } from './budget.ts';
import { runtimeFailure } from './failure.ts';
import { nested, print } from './print.ts';
import { range } from './range.ts';
import { placesOf } from './text-search.ts';
import { isList, isMap, isNumber, kindOf, type Value } from './value.ts';

type Operation = (left: Value, right: Value, budget: Budget) => Value;

/** Java's arithmetic: integers wrap at 64 bits; with a double on either side both operands are doubles. */
const ARITHMETIC = {
  '+': { whole: (a: bigint, b: bigint) => a + b, double: (a: number, b: number) => a + b },
  '-': { whole: (a: bigint, b: bigint) => a - b, double: (a: number, b: number) => a - b },
  '*': { whole: (a: bigint, b: bigint) => a * b, double: (a: number, b: number) => a * b },
  '/': { whole: (a: bigint, b: bigint) => a / divisor(b), double: (a: number, b: number) => a / b },
  '%': { whole: (a: bigint, b: bigint) => a % divisor(b), double: (a: number, b: number) => a % b },
} as const;

/** The implementation of each operator that evaluates both operands. */
export const BINARY_OPERATORS: Readonly<Record<BinaryOperator, Operation>> = {
  '+': add,
  '-': (left, right, budget) => (isList(left) ? without(left, right, budget) : arithmetic('-', left, right)),
  '*': (left, right) => arithmetic('*', left, right),
  '/': (left, right) => arithmetic('/', left, right),
  '%': (left, right) => arithmetic('%', left, right),
  '~': (left, right, budget) => concatenate(print(left, budget), print(right, budget), budget),
  '..': (left, right, budget) => range(left, right, 1n, budget),
  contains,
  '==': (left, right, budget) => equal(left, right, budget),
  '!=': (left, right, budget) => !equal(left, right, budget),
  '<': (left, right, budget) => ordered(left, right, budget, (order) => order < 0),
  '<=': (left, right, budget) => ordered(left, right, budget, (order) => order <= 0),
  '>': (left, right, budget) => ordered(left, right, budget, (order) => order > 0),
  '>=': (left, right, budget) => ordered(left, right, budget, (order) => order >= 0),
};

/** Applies the unary `-` or `+` to a number. */
export function applySign(sign: '-' | '+', value: Value): Value {
  return arithmetic('*', sign === '-' ? -1n : 1n, value);
}

/** Compares by content; a number never equals a string. */
function equal(left: Value, right: Value, budget: Budget): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: compares a bigint with a double by value, and exactly
  if (isNumber(left) && isNumber(right)) return left == right;
  if (typeof left === 'string' && typeof right === 'string') {
    budget.readText(Math.min(left.length, right.length));
    return left === right;
  }
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  if (isList(left) && isList(right)) {
    budget.spend(left.length);
    return budget.deeper(
      () => left.length === right.length && left.every((item, index) => equal(item, right[index] ?? null, budget)),
    );
  }
  if (!isMap(left) || !isMap(right)) return left === right;
  budget.spend(left.size);
  return budget.deeper(
    () =>
      left.size === right.size &&
      [...left].every(([key, item]) => right.has(key) && equal(item, right.get(key) ?? null, budget)),
  );
}

/** Negative, zero or positive. Compares only two numbers, two strings or two dates. */
export function compareValues(left: Value, right: Value, budget: Budget): number {
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : 0;
  if (left instanceof Date && right instanceof Date) return left.getTime() - right.getTime();
  if (typeof left !== 'string' || typeof right !== 'string') {
    throw runtimeFailure(`${kindOf(left)} cannot be compared with ${kindOf(right)}`);
  }
  budget.readText(Math.min(left.length, right.length));
  return left < right ? -1 : left > right ? 1 : 0;
}

function concatenate(left: string, right: string, budget: Budget): string {
  budget.makeText(left.length + right.length);
  return left + right;
}

/** Null is neither greater nor less than anything. */
function ordered(left: Value, right: Value, budget: Budget, holds: (order: number) => boolean): boolean {
  return left !== null && right !== null && holds(compareValues(left, right, budget));
}

function add(left: Value, right: Value, budget: Budget): Value {
  if (typeof left === 'string' || typeof right === 'string') {
    return concatenate(nested(left, budget), nested(right, budget), budget);
  }
  if (!isList(left)) return arithmetic('+', left, right);
  const added = isList(right) ? right : [right];
  budget.makeElements(left.length + added.length);
  return [...left, ...added];
}

function without(list: readonly Value[], right: Value, budget: Budget): Value {
  const removed = isList(right) ? right : [right];
  budget.makeElements(list.length);
  return list.filter((item) => !includes(removed, item, budget));
}

function includes(list: readonly Value[], wanted: Value, budget: Budget): boolean {
  budget.spend(list.length);
  return list.some((item) => equal(item, wanted, budget));
}

function contains(left: Value, right: Value, budget: Budget): Value {
  if (left === null) return false;
  if (isList(left)) {
    return isList(right) ? right.every((item) => includes(left, item, budget)) : includes(left, right, budget);
  }
  if (isMap(left)) return typeof right === 'string' && left.has(right);
  if (typeof left !== 'string') throw runtimeFailure(`${kindOf(left)} cannot contain anything`);
  const wanted = nested(right, budget);
  budget.readText(left.length + wanted.length);
  return wanted === '' || placesOf(left, wanted, 1).length > 0;
}

function divisor(value: bigint): bigint {
  if (value === 0n) throw runtimeFailure('Division by zero');
  return value;
}

function arithmetic(operator: keyof typeof ARITHMETIC, left: Value, right: Value): Value {
  if (!isNumber(left) || !isNumber(right)) {
    throw runtimeFailure(`Cannot calculate with ${kindOf(isNumber(left) ? right : left)}`);
  }
  const { whole, double } = ARITHMETIC[operator];
  if (typeof left === 'bigint' && typeof right === 'bigint') return BigInt.asIntN(64, whole(left, right));
  return double(Number(left), Number(right));
}
