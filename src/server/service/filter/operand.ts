import type { CastType, Expression, FilterType, PathStep } from '../../store/filter/ast.ts';
import { MAX_NESTING } from './limits.ts';
import { filterError, type Place } from './place.ts';

interface Parsed {
  at: Place;
  /** Levels of expressions below this one. Chains of AND, OR, `||` and of sums count as one level. */
  depth: number;
}

export interface TypedOperand extends Parsed {
  type: FilterType;
  expression: Expression;
}

/** A value that gets its type from the context: an uncast `val`, NULL, or a `coalesce` of only such values. */
export interface OpenOperand extends Parsed {
  type: 'OPEN';
  as(type: CastType | 'SCALAR'): Expression;
  /** The path of a `val`: only these may hold an array. */
  path?: readonly PathStep[];
  /** Whether it is NULL for every row. */
  isNull: boolean;
}

/** `[…]`. */
interface ArrayOperand extends Parsed {
  type: 'ARRAY';
  items: readonly Operand[];
}

export type Operand = TypedOperand | OpenOperand | ArrayOperand;

/** The depth of an expression over `operands`. It is limited so that neither this process nor PostgreSQL overflows its stack. */
export function depthOver(at: Place, operands: readonly Operand[]): number {
  const depth = operands.reduce((deepest, operand) => Math.max(deepest, operand.depth), 0) + 1;
  if (depth > MAX_NESTING) {
    throw filterError(at, `nested deeper than ${MAX_NESTING} levels`);
  }
  return depth;
}

export function typed(
  at: Place,
  type: FilterType,
  expression: Expression,
  operands: readonly Operand[] = [],
): TypedOperand {
  return { type, expression, at, depth: operands.length === 0 ? 0 : depthOver(at, operands) };
}

export function describe(operand: Operand): string {
  return operand.type === 'ARRAY' ? 'an array' : operand.type === 'OPEN' ? 'TEXT' : operand.type;
}

/** The operand as `type`, or undefined when its values can never have that type. */
export function asType(operand: Operand, type: FilterType): Expression | undefined {
  if (operand.type === 'ARRAY') {
    return undefined;
  }
  if (operand.type === 'OPEN') {
    return operand.as(type);
  }
  const { expression } = operand;
  if (operand.type === type) {
    return expression;
  }
  if (operand.type === 'DATE' && type === 'TIMESTAMP') {
    return { kind: 'cast', from: 'DATE', to: 'TIMESTAMP', operand: expression };
  }
  if (expression.kind === 'text' && (type === 'DATE' || type === 'TIMESTAMP') && isIsoDate(expression.value)) {
    return { kind: 'cast', from: 'TEXT', to: type, operand: expression };
  }
  return undefined;
}

/** The operand as the only type that `taker` (an operator or function as the user wrote it) accepts. */
export function requireType(operand: Operand, type: FilterType, taker: string): Expression {
  const expression = asType(operand, type);
  if (expression === undefined) {
    throw filterError(operand.at, `${taker} takes ${type} but found ${describe(operand)}`);
  }
  return expression;
}

/**
 * The common type of all operands: that of the typed ones, else TEXT. DATE becomes TIMESTAMP where both are used.
 * `verb` completes "cannot … TEXT with NUMERIC".
 */
export function unify(operands: readonly Operand[], verb: string): { type: FilterType; expressions: Expression[] } {
  const types = operands.map(({ type }) => type);
  const temporal = types.includes('TIMESTAMP') ? 'TIMESTAMP' : types.includes('DATE') ? 'DATE' : undefined;
  const leader = operands.find(
    (operand): operand is TypedOperand => operand.type !== 'OPEN' && operand.type !== 'ARRAY',
  );
  const leading: FilterType = leader?.type ?? 'TEXT';
  const type = leading === 'TEXT' || leading === 'DATE' ? (temporal ?? leading) : leading;
  const expressions = operands.map((operand) => {
    const expression = asType(operand, type);
    if (expression === undefined) {
      const against = operand === leader ? type : leading;
      throw filterError(operand.at, `cannot ${verb} ${against} with ${describe(operand)}`);
    }
    return expression;
  });
  return { type, expressions };
}

const ISO_DATE =
  /^(\d{4})(-?)(\d{2})\2(\d{2})(?:[Tt ]\d{2}(?::?\d{2}(?::?\d{2}(?:[.,]\d+)?)?)?(?:[Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** Whether a string is a valid date or timestamp: ISO 8601 with a day that exists in the calendar. */
function isIsoDate(text: string): boolean {
  const [, year, , month, day] = ISO_DATE.exec(text) ?? [];
  if (year === undefined || year === '0000') {
    return false;
  }
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
}
