import type { CompareOperator, Expression } from '../../store/filter/ast.ts';
import { describe, type Operand, requireType, type TypedOperand, typed, unify } from './operand.ts';
import { filterError } from './place.ts';

export function compareOperands(left: Operand, operator: CompareOperator, right: Operand): TypedOperand {
  const { type, expressions } = unify([left, right], 'compare');
  const [a, b] = expressions as [Expression, Expression];
  return typed(left.at, 'BOOLEAN', { kind: 'compare', operator, type, left: a, right: b }, [left, right]);
}

export function between(value: Operand, low: Operand, high: Operand): TypedOperand {
  const operands = [value, low, high];
  const { type, expressions } = unify(operands, 'compare');
  const [a, b, c] = expressions as [Expression, Expression, Expression];
  return typed(value.at, 'BOOLEAN', { kind: 'between', type, value: a, low: b, high: c }, operands);
}

export function likePattern(value: Operand, pattern: Operand, ignoreCase: boolean): TypedOperand {
  const taker = ignoreCase ? 'ILIKE' : 'LIKE';
  const expression: Expression = {
    kind: 'like',
    ignoreCase,
    value: requireType(value, 'TEXT', taker),
    pattern: requireType(pattern, 'TEXT', taker),
  };
  return typed(value.at, 'BOOLEAN', expression, [value, pattern]);
}

/** `value IN (a, b)`. */
export function inList(value: Operand, items: readonly Operand[]): TypedOperand {
  const { type, expressions } = unify([value, ...items], 'compare');
  const [subject, ...list] = expressions as [Expression, ...Expression[]];
  return typed(value.at, 'BOOLEAN', { kind: 'oneOf', type, value: subject, items: list }, [value, ...items]);
}

/** `value IN array`. */
export function inArray(value: Operand, array: Operand): TypedOperand {
  const expression: Expression = {
    kind: 'contains',
    left: arrayOf(array, 'IN', 'right'),
    right: { kind: 'array', items: [jsonScalar(value, 'IN')] },
  };
  return typed(value.at, 'BOOLEAN', expression, [value, array]);
}

export function contains(left: Operand, right: Operand): TypedOperand {
  const expression: Expression = {
    kind: 'contains',
    left: arrayOf(left, 'CONTAINS', 'left'),
    right: elementsOf(right),
  };
  return typed(left.at, 'BOOLEAN', expression, [left, right]);
}

export function overlaps(left: Operand, right: Operand): TypedOperand {
  const expression: Expression = {
    kind: 'overlaps',
    left: arrayOf(left, 'OVERLAPS', 'left'),
    right: arrayOf(right, 'OVERLAPS', 'right'),
  };
  return typed(left.at, 'BOOLEAN', expression, [left, right]);
}

/** Tests the value without a cast: a number in the metadata is not NULL. */
export function isNull(operand: Operand): TypedOperand {
  if (operand.type === 'ARRAY') {
    throw filterError(operand.at, 'IS NULL takes a single value but found an array');
  }
  const value = operand.type === 'OPEN' ? operand.as('SCALAR') : operand.expression;
  return typed(operand.at, 'BOOLEAN', { kind: 'isNull', operand: value }, [operand]);
}

/** AND, OR: one flat node for a chain of any length. */
export function logic(operator: 'and' | 'or', operands: readonly [Operand, ...Operand[]]): TypedOperand {
  const conditions = operands.map((operand) => requireType(operand, 'BOOLEAN', operator.toUpperCase()));
  return typed(operands[0].at, 'BOOLEAN', { kind: 'logic', operator, operands: conditions }, operands);
}

function arrayOf(operand: Operand, taker: string, side: 'left' | 'right'): Expression {
  if (operand.type === 'ARRAY') {
    return { kind: 'array', items: operand.items.map((item) => jsonScalar(item, 'an array')) };
  }
  if (operand.type === 'OPEN' && operand.path !== undefined) {
    return { kind: 'read', path: operand.path, as: 'ARRAY' };
  }
  if (operand.type === 'OPEN' && operand.isNull) {
    return { kind: 'null', type: 'ARRAY' };
  }
  throw filterError(operand.at, `${taker} needs an array on its ${side} side but found ${describe(operand)}`);
}

/** The right side of CONTAINS: an array, or a scalar in its place. */
function elementsOf(operand: Operand): Expression {
  if (operand.type === 'ARRAY') {
    return arrayOf(operand, 'CONTAINS', 'right');
  }
  if (operand.type === 'OPEN' && operand.path !== undefined) {
    return { kind: 'read', path: operand.path, as: 'ELEMENTS' };
  }
  return { kind: 'array', items: [jsonScalar(operand, 'CONTAINS')] };
}

/** A value as an element of a JSON array, which may be a string, number or boolean, but no date. */
function jsonScalar(operand: Operand, taker: string): Expression {
  if (operand.type === 'OPEN') {
    return operand.as('SCALAR');
  }
  if (operand.type === 'ARRAY' || operand.type === 'DATE' || operand.type === 'TIMESTAMP') {
    throw filterError(operand.at, `${taker} takes TEXT, NUMERIC or BOOLEAN elements but found ${describe(operand)}`);
  }
  return operand.expression;
}
