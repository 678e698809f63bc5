import type { Expression, SumTerm } from '../../store/filter/ast.ts';
import { asType, describe, type Operand, requireType, type TypedOperand, typed } from './operand.ts';
import { filterError, type Place } from './place.ts';

export interface Applied<Operator extends string> {
  operator: Operator;
  operand: Operand;
  /** Of the operator. */
  at: Place;
}

type Plus = Applied<'+' | '-'>;

/** A chain of additions and subtractions of numbers, kept flat: decimal addition is exact, so its order does not matter. */
class NumericSum {
  readonly #terms: SumTerm[];
  readonly #operands: Operand[];

  constructor(first: Operand, operator: '+' | '-') {
    this.#terms = [{ negative: false, operand: requireType(first, 'NUMERIC', `"${operator}"`) }];
    this.#operands = [first];
  }

  add({ operator, operand }: Plus): void {
    this.#terms.push({ negative: operator === '-', operand: requireType(operand, 'NUMERIC', `"${operator}"`) });
    this.#operands.push(operand);
  }

  operand(at: Place): TypedOperand {
    return typed(at, 'NUMERIC', { kind: 'sum', terms: this.#terms }, this.#operands);
  }
}

/** `first + a - b …` from left to right. */
export function sum(first: Operand, rest: readonly Plus[]): Operand {
  let left = first;
  let run: NumericSum | undefined;
  for (const each of rest) {
    if (isDated(each.operand) || (run === undefined && isDated(left))) {
      left = withDates(run?.operand(first.at) ?? left, each);
      run = undefined;
    } else {
      run ??= new NumericSum(left, each.operator);
      run.add(each);
    }
  }
  return run?.operand(first.at) ?? left;
}

const isDated = ({ type }: Operand) => type === 'DATE' || type === 'TIMESTAMP';

/** One addition or subtraction with a date or timestamp on at least one side. */
function withDates(left: Operand, { operator, operand: right, at }: Plus): TypedOperand {
  const difference = operator === '-' ? daysBetween(left, right) : undefined;
  if (difference !== undefined) {
    return difference;
  }
  const [base, days] = isDated(left) ? [left, right] : [right, left];
  const count = asType(days, 'NUMERIC');
  if (
    (base.type !== 'DATE' && base.type !== 'TIMESTAMP') ||
    count === undefined ||
    (operator === '-' && base === right)
  ) {
    const action = operator === '+' ? 'add' : 'subtract';
    throw filterError(
      at,
      `cannot ${action} ${describeTerm(right)} ${operator === '+' ? 'to' : 'from'} ${describeTerm(left)}`,
    );
  }
  return typed(
    left.at,
    base.type,
    {
      kind: 'addDays',
      to: base.type,
      base: base.expression,
      days: operator === '-' ? negated(count) : count,
    },
    [left, right],
  );
}

function describeTerm(operand: Operand): string {
  return operand.type === 'OPEN' ? 'a value' : describe(operand);
}

/** DATE − DATE; an uncast value on one side gets the type of the other. */
function daysBetween(left: Operand, right: Operand): TypedOperand | undefined {
  if (left.type === 'TIMESTAMP' || right.type === 'TIMESTAMP') {
    return undefined;
  }
  const until = asType(left, 'DATE');
  const from = asType(right, 'DATE');
  if (until === undefined || from === undefined) {
    return undefined;
  }
  return typed(left.at, 'NUMERIC', { kind: 'daysBetween', from, until }, [left, right]);
}

export function product(first: Operand, rest: readonly Applied<'*' | '/' | '%'>[]): Operand {
  let result = first;
  for (const { operator, operand } of rest) {
    const left = requireType(result, 'NUMERIC', `"${operator}"`);
    const right = requireType(operand, 'NUMERIC', `"${operator}"`);
    result = typed(first.at, 'NUMERIC', { kind: 'product', operator, left, right }, [result, operand]);
  }
  return result;
}

/** `+x` and `-x`. The sign of a literal becomes part of it. */
export function withSign(at: Place, sign: '+' | '-', operand: Operand): TypedOperand {
  const expression = requireType(operand, 'NUMERIC', `"${sign}"`);
  return typed(at, 'NUMERIC', sign === '-' ? negated(expression) : expression, [operand]);
}

function negated(expression: Expression): Expression {
  if (expression.kind !== 'number') {
    return { kind: 'negate', operand: expression };
  }
  const { value } = expression;
  return { kind: 'number', value: value.startsWith('-') ? value.slice(1) : value === '0' ? value : `-${value}` };
}
