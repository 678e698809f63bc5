import type { Node } from 'nunjucks/src/nodes.js';
import { syntaxFailure } from './failure.ts';

/** Reads one member of a node; the classes of nunjucks promise nothing about them. */
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

export function optional(node: Node, name: string): Node | undefined {
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

export function text(node: Node, name: string): string {
  const value = field(node, name);
  if (typeof value !== 'string') throw syntaxFailure('Expected a text', node.lineno + 1);
  return value;
}

/** The name that a symbol is; `wanted` completes "Expected …". */
export function symbol(node: Node, wanted: string): string {
  if (node.typename !== 'Symbol') throw syntaxFailure(`Expected ${wanted}`, node.lineno + 1);
  return text(node, 'value');
}

export function literal(node: Node): null | boolean | bigint | number | string {
  const value = field(node, 'value');
  if (value === null || ['boolean', 'bigint', 'number', 'string'].includes(typeof value)) {
    return value as null | boolean | bigint | number | string;
  }
  throw syntaxFailure('Expected a value', node.lineno + 1);
}
