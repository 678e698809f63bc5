import type { Node } from 'nunjucks/src/nodes.js';
import { limitFailure, quoted, syntaxFailure } from './failure.ts';
import { TEMPLATE_LIMITS } from './limits.ts';

/** Reads one member of a node; nunjucks does not type them. */
function field(node: Node, name: string): unknown {
  return node.fields.includes(name) || name === 'value'
    ? (node as unknown as Record<string, unknown>)[name]
    : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'typename' in value && 'fields' in value;
}

export function child(node: Node, name: string): Node {
  const value = field(node, name);
  if (!isNode(value)) throw syntaxFailure('Something is missing here', node.lineno + 1);
  return value;
}

export function optionalChild(node: Node, name: string): Node | undefined {
  const value = field(node, name);
  return isNode(value) ? value : undefined;
}

export function children(node: Node, name = 'children'): readonly Node[] {
  const value = field(node, name);
  if (!Array.isArray(value)) throw syntaxFailure('Something is missing here', node.lineno + 1);
  return value.map((item) => {
    if (!isNode(item)) throw syntaxFailure('Something is missing here', node.lineno + 1);
    return item;
  });
}

export function nodesBelow(node: Node): Node[] {
  return node.fields.flatMap((name) => {
    const value = field(node, name);
    return Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [];
  });
}

export function textField(node: Node, name: string): string {
  const value = field(node, name);
  if (typeof value !== 'string') throw syntaxFailure('Expected a string', node.lineno + 1);
  return value;
}

/** The name of a symbol node; `wanted` completes the message "Expected …". */
export function symbol(node: Node, wanted: string): string {
  if (node.typename !== 'Symbol') throw syntaxFailure(`Expected ${wanted}`, node.lineno + 1);
  return textField(node, 'value');
}

export function literal(node: Node): null | boolean | bigint | number | string {
  const value = field(node, 'value');
  if (value === null || ['boolean', 'bigint', 'number', 'string'].includes(typeof value)) {
    return value as null | boolean | bigint | number | string;
  }
  throw syntaxFailure('Expected a value', node.lineno + 1);
}

interface Argument {
  /** Undefined for a positional argument. */
  name: string | undefined;
  value: Node;
}

/** The arguments in the order of the parameters, undefined where one was left out. `any`: a variable number of arguments. */
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

/** nunjucks keeps named arguments in one node after the positional ones. */
export function argumentsOf(node: Node): Argument[] {
  if (node.typename !== 'KeywordArgs') return [{ name: undefined, value: node }];
  return children(node).map((pair) => ({
    name: symbol(child(pair, 'key'), 'the name of an argument'),
    value: child(pair, 'value'),
  }));
}

/** The parameters of a macro, with their default values. */
export function macroParametersOf(macro: Node): { name: string; fallback: Node | undefined }[] {
  const declared = children(child(macro, 'args')).flatMap(argumentsOf);
  return declared.map(({ name, value }) =>
    name === undefined
      ? { name: symbol(value, 'the name of a parameter'), fallback: undefined }
      : { name, fallback: value },
  );
}

/** Throws a limit failure for a tree that is too deep. Not recursive, so that the check itself cannot overflow the stack. */
export function checkDepth(root: Node): void {
  const open: [node: Node, depth: number][] = [[root, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, depth] = next;
    if (depth > TEMPLATE_LIMITS.treeDepth) throw limitFailure('The template nests too deeply', node.lineno + 1);
    for (const below of nodesBelow(node)) open.push([below, depth + 1]);
  }
}
