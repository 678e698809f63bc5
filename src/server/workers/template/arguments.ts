import type { Node } from 'nunjucks/src/nodes.js';
import { quoted, syntaxFailure } from './failure.ts';

export interface Argument {
  /** Undefined: given by its place. */
  name: string | undefined;
  value: Node;
}

/** The arguments in the order of the parameters, undefined where one was left out. `any`: as many as are given. */
export function bindArguments(
  callee: string,
  parameters: readonly string[] | 'any',
  args: readonly Argument[],
): (Node | undefined)[] {
  if (parameters === 'any') return args.map(({ value }) => value);
  const bound: (Node | undefined)[] = parameters.map(() => undefined);
  for (const [index, { name, value }] of args.entries()) {
    const line = value.lineno + 1;
    const place = name === undefined ? index : parameters.indexOf(name);
    if (place < 0) throw syntaxFailure(`${quoted(callee)} has no argument ${quoted(name ?? '')}`, line);
    if (place >= parameters.length) throw syntaxFailure(`${quoted(callee)} has too many arguments`, line);
    if (bound[place] !== undefined) throw syntaxFailure(`An argument of ${quoted(callee)} is given twice`, line);
    bound[place] = value;
  }
  return bound;
}
