import type { ArrayExpression, Expression, Literal } from './ast.ts';

type PlainLiteral = Exclude<Literal, { kind: 'null' }>;

function isPlainLiteral(expression: Expression): expression is PlainLiteral {
  return expression.kind === 'text' || expression.kind === 'number' || expression.kind === 'boolean';
}

export function isLiteral(expression: Expression): expression is Literal {
  return isPlainLiteral(expression) || expression.kind === 'null';
}

/** The array as JSON text when every element is a literal other than NULL, which has no place in JSON. */
export function jsonText(array: ArrayExpression): string | undefined {
  if (!array.items.every(isPlainLiteral)) {
    return undefined;
  }
  return `[${array.items.map((item) => (item.kind === 'number' ? item.value : JSON.stringify(item.value))).join(',')}]`;
}

/** The strings of the array when it holds nothing else. */
export function allTexts(array: ArrayExpression): string[] | undefined {
  const texts: string[] = [];
  for (const item of array.items) {
    if (item.kind !== 'text') {
      return undefined;
    }
    texts.push(item.value);
  }
  return texts;
}
