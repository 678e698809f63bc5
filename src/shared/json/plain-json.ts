import { memberPath } from './problems.ts';
import { type TextOptions, textProblem } from './scalars.ts';

/** How deep free-form JSON may nest. JSON.stringify recurses: unbounded input would exhaust the stack. */
const MAX_JSON_DEPTH = 100;

/** Receives a problem and its path. */
type ReportProblem = (path: string, problem: string) => void;

/** Checks a free-form JSON object (or any value inside it) and reports what is wrong. Returns whether all of it is sound. */
export function checkPlainJson(
  value: unknown,
  path: string,
  report: ReportProblem,
  options: TextOptions = {},
  depth = 1,
): boolean {
  if (typeof value === 'string') return tell(textProblem(value, options), path, report);
  // JSON.parse reads 1e999 as Infinity, and protobuf carries NaN.
  if (typeof value === 'bigint')
    return tell('must not be an integer beyond 2^53, which would be rounded; give a string', path, report);
  if (typeof value === 'number') return tell(numberProblem(value), path, report);
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_JSON_DEPTH) return tell(`must not be nested deeper than ${MAX_JSON_DEPTH} levels`, path, report);
  let sound = true;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      sound = checkPlainJson(item, `${path}[${index}]`, report, options, depth + 1) && sound;
    }
    return sound;
  }
  for (const [name, item] of Object.entries(value)) {
    // A bad name is told at its object, for it cannot be printed.
    sound = tell(textProblem(name, options), path, report) && sound;
    sound = checkPlainJson(item, memberPath(path, name), report, options, depth + 1) && sound;
  }
  return sound;
}

function numberProblem(value: number): string | undefined {
  return Number.isFinite(value) ? undefined : 'must be a finite number';
}

function tell(problem: string | undefined, path: string, report: ReportProblem): boolean {
  if (problem !== undefined) report(path, problem);
  return problem === undefined;
}

/** Where it may be, digits enough for an integer beyond 2^53; in a string they do no harm. */
const LONG_DIGITS = /\d{16}/;

/**
 * The text of free-form JSON that `checkPlainJson` let pass. Numbers beyond 2^53 have an exponent: as integers they would
 * look exact, and be refused when they are sent back.
 */
export function plainJsonText(value: unknown): string {
  const text = JSON.stringify(value);
  return LONG_DIGITS.test(text) ? exactText(value) : text;
}

function exactText(value: unknown): string {
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) > 2 ** 53) return value.toExponential();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(exactText).join(',')}]`;
  return `{${Object.entries(value)
    .map(([name, item]) => `${JSON.stringify(name)}:${exactText(item)}`)
    .join(',')}}`;
}
