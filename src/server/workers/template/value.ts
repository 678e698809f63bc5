import type { Budget } from './budget.ts';

/**
 * The values of a template. None of them gives access to members of JavaScript objects: maps are JavaScript Maps, and lists
 * are accessed only by integer index. Java's integers are bigint and its doubles are number.
 */
export type Value = null | boolean | bigint | number | string | Date | ListValue | MapValue;
export type ListValue = readonly Value[];
type MapValue = ReadonlyMap<string, Value>;

export function isList(value: Value): value is ListValue {
  return Array.isArray(value);
}

export function isMap(value: Value): value is MapValue {
  return value instanceof Map;
}

export function isNumber(value: Value): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

/** Converts plain data after structured cloning. Integral numbers become integers; anything that is not data becomes null. */
export function toValue(plain: unknown): Value {
  if (typeof plain === 'number') return Number.isSafeInteger(plain) ? BigInt(plain) : plain;
  if (typeof plain === 'string' || typeof plain === 'boolean' || plain instanceof Date) return plain;
  if (Array.isArray(plain)) return plain.map(toValue);
  if (typeof plain !== 'object' || plain === null) return null;
  return new Map(Object.entries(plain).map(([name, member]) => [name, toValue(member)]));
}

/** The type of a value, for messages, which never contain the value itself. */
export function kindOf(value: Value): string {
  if (value === null) return 'null';
  if (isNumber(value)) return 'a number';
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'boolean') return 'a boolean';
  if (value instanceof Date) return 'a date';
  return isList(value) ? 'a list' : 'a map';
}

/** The truth of a value in a condition. Lists and maps, which Pebble refuses there, are true unless they are empty. */
export function truth(value: Value): boolean {
  if (isList(value)) return value.length > 0;
  if (isMap(value)) return value.size > 0;
  if (typeof value === 'bigint') return value !== 0n;
  if (typeof value === 'number') return value !== 0 && !Number.isNaN(value);
  return value instanceof Date || Boolean(value);
}

/** Pebble's `empty`: null, blank text, a list or map without elements. */
export function isEmpty(value: Value, budget: Budget): boolean {
  if (typeof value === 'string') {
    budget.readText(value.length);
    return value.trim() === '';
  }
  return value === null || ((isList(value) || isMap(value)) && !truth(value));
}

/** A member of a map or a list; null if it does not exist, and for values without members. */
export function member(target: Value, key: Value): Value {
  if (isMap(target)) return typeof key === 'string' || isNumber(key) ? (target.get(String(key)) ?? null) : null;
  const index = typeof key === 'bigint' ? Number(key) : -1;
  return isList(target) && index >= 0 && index < target.length ? (target[index] ?? null) : null;
}
