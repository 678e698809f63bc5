import type { Node } from 'nunjucks/src/nodes.js';
import { quoted, syntaxFailure } from './failure.ts';
import { child, children, symbol } from './node-fields.ts';

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

/** nunjucks keeps the named arguments in one node behind the others. */
export function argumentsOf(node: Node): Argument[] {
  if (node.typename !== 'KeywordArgs') return [{ name: undefined, value: node }];
  return children(node).map((pair) => ({
    name: symbol(child(pair, 'key'), 'the name of an argument'),
    value: child(pair, 'value'),
  }));
}

/** The parameters that a macro declares, with what stands in for an argument that is left out. */
export function parametersOf(macro: Node): { name: string; fallback: Node | undefined }[] {
  const declared = children(child(macro, 'args')).flatMap(argumentsOf);
  return declared.map(({ name, value }) =>
    name === undefined
      ? { name: symbol(value, 'the name of a parameter'), fallback: undefined }
      : { name, fallback: value },
  );
}
