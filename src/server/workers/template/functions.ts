import type { Budget } from './budget.ts';
import { compareValues } from './operators.ts';
import { range } from './range.ts';
import type { Value } from './value.ts';

interface TemplateFunction {
  /** The names of the arguments in order; `any`: a variable number of positional arguments. */
  parameters: readonly string[] | 'any';
  call(args: readonly Value[], budget: Budget): Value;
}

/** The functions that a template can call besides its own macros. */
export const FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  max: {
    parameters: 'any',
    call: (args, budget) => extreme(args, (candidate, best) => compareValues(candidate, best, budget) > 0),
  },
  min: {
    parameters: 'any',
    call: (args, budget) => extreme(args, (candidate, best) => compareValues(candidate, best, budget) < 0),
  },
  range: {
    parameters: ['start', 'end', 'increment'],
    call: ([start = null, end = null, increment = null], budget) => range(start, end, increment ?? 1n, budget),
  },
};

function extreme(args: readonly Value[], better: (candidate: Value, best: Value) => boolean): Value {
  let best: Value = null;
  for (const value of args) if (value !== null && (best === null || better(value, best))) best = value;
  return best;
}
