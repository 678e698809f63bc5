import type { Node } from 'nunjucks/src/nodes.js';
import { limitFailure } from './failure.ts';
import { TEMPLATE_LIMITS } from './limits.ts';
import { nodesBelow } from './node-fields.ts';

/** Throws a limit failure for a tree that is too deep. Without recursion: it finds what recursion must not meet. */
export function checkDepth(root: Node): void {
  const open: [node: Node, depth: number][] = [[root, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, depth] = next;
    if (depth > TEMPLATE_LIMITS.treeDepth) throw limitFailure('The template nests too deeply', node.lineno + 1);
    for (const below of nodesBelow(node)) open.push([below, depth + 1]);
  }
}
