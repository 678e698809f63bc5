import { type CommandError, usageError } from '../errors.ts';
import { didYouMean } from '../text/suggest.ts';
import { type Flag, flagName, flagNames } from './flag.ts';

/** Of a flag that is given twice the last one counts. */
export function single<T>(
  term: string,
  description: string,
  parse: (text: string, name: string) => T,
): Flag<T | undefined> {
  const name = flagNames(term).at(-1) ?? term;
  return {
    term,
    description,
    read: (texts) => {
      const last = texts.at(-1);
      return last === undefined ? undefined : parse(last, name);
    },
  };
}

export function text(term: string, description: string): Flag<string | undefined> {
  return single(term, description, (value) => value);
}

/** Present or not. */
export function toggle(term: string, description: string): Flag<boolean> {
  return { term, description, read: (texts) => texts.length > 0 };
}

export function texts(term: string, description: string): Flag<readonly string[]> {
  return { term, description, read: (given) => given };
}

export function integer(
  term: string,
  description: string,
  { min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number },
): Flag<number | undefined> {
  return single(term, description, (value, name) => {
    const parsed = /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
    if (parsed >= min && parsed <= max) return parsed;
    // The limits of int32 and int64 say nothing to a user.
    const range = max >= 2 ** 31 - 1 ? `of at least ${min}` : `from ${min} to ${max}`;
    throw usageError(`${name} must be an integer ${range}, got "${value}"`);
  });
}

export function decimal(
  term: string,
  description: string,
  { min = -Infinity, max = Infinity }: { min?: number | undefined; max?: number | undefined } = {},
): Flag<number | undefined> {
  return single(term, description, (value, name) => {
    const parsed = parseDecimal(value, name);
    if (parsed >= min && parsed <= max) return parsed;
    throw usageError(`${name} must be a number from ${min} to ${max}, got "${value}"`);
  });
}

export function parseDecimal(value: string, name: string): number {
  const parsed = value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isFinite(parsed)) return parsed;
  throw usageError(`${name} must be a number, got "${value}"`);
}

export function choice<const C extends string>(
  term: string,
  description: string,
  choices: readonly C[],
): Flag<C | undefined> {
  const flag = single(term, description, (value, name) => {
    const found = choices.find((candidate) => candidate.toLowerCase() === value.toLowerCase());
    if (found !== undefined) return found;
    throw choiceError(name, choices, value);
  });
  return { ...flag, choices };
}

/** `key=value`, repeatable; undefined when it was never given. */
export function pairs(term: string, description: string): Flag<Record<string, string> | undefined> {
  const name = `--${flagName(term)}`;
  return {
    term,
    description,
    read: (given) => (given.length === 0 ? undefined : Object.fromEntries(given.map((entry) => pairOf(entry, name)))),
  };
}

/** `form` is how the entry is written, for the error. */
export function pairOf(entry: string, name: string, form = 'key=value'): [key: string, value: string] {
  const at = entry.indexOf('=');
  if (at > 0) return [entry.slice(0, at), entry.slice(at + 1)];
  throw usageError(`${name} must be written ${form}, got "${entry}"`);
}

/** A value that is none of those that are allowed. `name` is what it was given for: `--tls`, `SVC_TLS`. */
export function choiceError(name: string, choices: readonly string[], value: string): CommandError {
  const details = didYouMean(value, choices);
  const message = `${name} must be one of ${choices.join(', ')}, got "${value}"`;
  return usageError(message, details === undefined ? {} : { details });
}
