import { readFileSync } from 'node:fs';
import ts from 'typescript';

const DECLARES_TESTS = new Set(['test', 'it', 'describe']);

/**
 * Titles of everything that a test file declares: tests, groups, and the scenarios that another file plays. A title
 * with a value in it has an ellipsis there. Skipped ones are left out: they show nothing.
 */
export function titlesIn(file: string): Set<string> {
  const titles = new Set<string>();
  const visit = (node: ts.Node): void => {
    const title = titleOf(node);
    if (title !== undefined) titles.add(title);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true));
  return titles;
}

function titleOf(node: ts.Node): string | undefined {
  if (ts.isCallExpression(node) && declaresTests(node.expression)) return textOf(node.arguments[0]);
  if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && node.name.text === 'name') {
    return isPlayed(node.parent) ? textOf(node.initializer) : undefined;
  }
  return undefined;
}

/** A scenario has a function beside its name; what else has a name is data of a test. */
function isPlayed({ properties }: ts.ObjectLiteralExpression): boolean {
  return properties.some(
    (property) =>
      ts.isMethodDeclaration(property) ||
      (ts.isPropertyAssignment(property) && ts.isArrowFunction(property.initializer)),
  );
}

/** `test`, `describe.each(…)` and the like, but not `test.skip`. */
function declaresTests(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return DECLARES_TESTS.has(callee.text);
  if (ts.isPropertyAccessExpression(callee)) return callee.name.text !== 'skip' && declaresTests(callee.expression);
  return ts.isCallExpression(callee) && declaresTests(callee.expression);
}

function textOf(node: ts.Expression | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…');
}
