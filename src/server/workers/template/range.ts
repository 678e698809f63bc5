import type { Budget } from './budget.ts';
import { runtimeFailure } from './failure.ts';
import { isNumber, type Value } from './value.ts';

/** From start to end, both inclusive: integers, or single characters. */
export function range(start: Value, end: Value, increment: Value, budget: Budget): Value {
  if (!isNumber(increment)) throw runtimeFailure('The increment of a range must be a number');
  const step = whole(increment);
  if (step === 0n) throw runtimeFailure('The increment of a range must not be 0');
  if (isNumber(start) && isNumber(end)) return series(whole(start), whole(end), step, budget);
  if (typeof start !== 'string' || typeof end !== 'string' || start.length !== 1 || end.length !== 1) {
    throw runtimeFailure('A range must go from number to number, or from character to character');
  }
  const codes = series(BigInt(start.charCodeAt(0)), BigInt(end.charCodeAt(0)), step, budget);
  return codes.map((code) => String.fromCharCode(Number(code)));
}

function whole(value: bigint | number): bigint {
  if (typeof value === 'bigint') return value;
  if (!Number.isFinite(value)) throw runtimeFailure('A range needs finite numbers');
  return BigInt(Math.trunc(value));
}

function series(start: bigint, end: bigint, step: bigint, budget: Budget): bigint[] {
  const count = (end - start) / step + 1n;
  if (count <= 0n || end > start !== step > 0n) return start === end ? [start] : [];
  budget.makeElements(Number(count));
  return Array.from({ length: Number(count) }, (_, index) => start + BigInt(index) * step);
}
