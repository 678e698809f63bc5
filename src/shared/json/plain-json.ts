import { memberPath } from './problems.ts';
import { textProblem } from './scalars.ts';

/** How deep free-form JSON may nest. JSON.stringify recurses: unbounded input would exhaust the stack. */
const MAX_JSON_DEPTH = 100;

/** Takes what is wrong at a path. */
export type Report = (path: string, problem: string) => void;

/** Checks a free-form JSON object (or any value inside it) and reports what is wrong. Returns whether all of it is sound. */
export function checkPlainJson(value: unknown, path: string, report: Report, depth = 1): boolean {
  if (typeof value === 'string') return tell(textProblem(value), path, report);
  // JSON.parse reads 1e999 as Infinity, and protobuf carries NaN.
  if (typeof value === 'bigint')
    return tell('must not be an integer beyond 2^53, which would be rounded; give a string', path, report);
  if (typeof value === 'number') return tell(numberProblem(value), path, report);
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_JSON_DEPTH) return tell(`must not nest deeper than ${MAX_JSON_DEPTH}`, path, report);
  let sound = true;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      sound = checkPlainJson(item, `${path}[${index}]`, report, depth + 1) && sound;
    }
    return sound;
  }
  for (const [name, item] of Object.entries(value)) {
    // A bad name is told at its object, for it cannot be printed.
    sound = tell(textProblem(name), path, report) && sound;
    sound = checkPlainJson(item, memberPath(path, name), report, depth + 1) && sound;
  }
  return sound;
}

function numberProblem(value: number): string | undefined {
  return Number.isFinite(value) ? undefined : 'must be a finite number';
}

function tell(problem: string | undefined, path: string, report: Report): boolean {
  if (problem !== undefined) report(path, problem);
  return problem === undefined;
}
