import { memberPath, Problem, type Problems } from './problems.ts';
import { textProblem } from './scalars.ts';

/** How deep free-form JSON may nest. JSON.stringify recurses: unbounded input would exhaust the stack. */
export const MAX_JSON_DEPTH = 100;

/** Checks a free-form JSON object (or any value inside it) and adds what is wrong. Returns whether all of it is sound. */
export function checkPlainJson(value: unknown, path: string, problems: Problems, depth = 1): boolean {
  if (typeof value === 'string') return report(textProblem(value), path, problems);
  // JSON.parse reads 1e999 as Infinity, and protobuf carries NaN.
  if (typeof value === 'number') return report(numberProblem(value), path, problems);
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_JSON_DEPTH) return report(`must not nest deeper than ${MAX_JSON_DEPTH}`, path, problems);
  let sound = true;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      sound = checkPlainJson(item, `${path}[${index}]`, problems, depth + 1) && sound;
    }
    return sound;
  }
  for (const [name, item] of Object.entries(value)) {
    // A bad name is told at its object, for it cannot be printed.
    sound = report(textProblem(name), path, problems) && sound;
    sound = checkPlainJson(item, memberPath(path, name), problems, depth + 1) && sound;
  }
  return sound;
}

function numberProblem(value: number): string | undefined {
  return Number.isFinite(value) ? undefined : 'must be a finite number';
}

function report(problem: string | undefined, path: string, problems: Problems): boolean {
  if (problem !== undefined) problems.add(path, new Problem(problem));
  return problem === undefined;
}
