import { statusFromHttp } from '../error-details.ts';
import { isObject } from './parse.ts';
import { checkPlainJson } from './plain-json.ts';
import { memberPath, Problem, type Problems, wrongType } from './problems.ts';
import { type ReadValue, readString, type TextOptions } from './scalars.ts';

/** Reads a value and adds what is wrong with it; `undefined` when it is unusable. */
export type Read = (value: unknown, path: string, problems: Problems) => unknown;

/** Reads what one function reads from a value alone. */
export function simple(read: ReadValue): Read {
  return (value, path, problems) => {
    const result = read(value);
    if (!(result instanceof Problem)) return result;
    problems.add(path, result);
    return undefined;
  };
}

/** Reads an array, each item by `item`. */
export function listReader(item: Read, refuseEmpty: boolean): Read {
  return (value, path, problems) => {
    if (!Array.isArray(value)) {
      problems.add(path, wrongType('must be an array'));
      return undefined;
    }
    if (refuseEmpty && value.length === 0) problems.add(path, new Problem('must not be empty; leave it out instead'));
    return value.map((entry, index) => item(entry, `${path}[${index}]`, problems));
  };
}

/** Reads an object as a map; members that are null are left out. */
export function mapReader(item: Read, options: TextOptions): Read {
  return (value, path, problems) => {
    if (!isObject(value)) {
      problems.add(path, wrongType('must be an object'));
      return undefined;
    }
    const entries: [string, unknown][] = [];
    for (const [key, entry] of Object.entries(value)) {
      const name = readString(key, options);
      if (name instanceof Problem) problems.add(path, name);
      else if (entry !== null) entries.push([key, item(entry, memberPath(path, key), problems)]);
    }
    // fromEntries defines own properties: a key "__proto__" stays a key.
    return Object.fromEntries(entries);
  };
}

/** Reads an object whose members mean nothing to the service. */
export function plainObjectReader(options: TextOptions): Read {
  return (value, path, problems) => {
    if (!isObject(value)) {
      problems.add(path, wrongType('must be an object'));
      return undefined;
    }
    const report = (where: string, problem: string) => problems.add(where, new Problem(problem));
    return checkPlainJson(value, path, report, options) ? value : undefined;
  };
}

/** Content is the one text that may hold NUL characters. */
export function readText(value: unknown): Uint8Array | Problem {
  if (typeof value !== 'string') return wrongType('must be a string');
  return /\p{Surrogate}/u.test(value) ? new Problem('must be valid Unicode text') : Buffer.from(value, 'utf8');
}

/** Reads a status as batches write it. */
export function readHttpStatus(value: unknown): unknown {
  const { code, message } = isObject(value) ? value : {};
  if (typeof code === 'number' && typeof message === 'string') return statusFromHttp(code, message);
  return wrongType('must be an object with code and message');
}
