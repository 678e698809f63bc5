/**
 * A parsed filter: typed, with every default resolved, free of type errors. The service parses it from a string and the
 * store compiles it to SQL; it is defined here because the store must not import from the service.
 */

export type FilterType = 'TEXT' | 'NUMERIC' | 'BOOLEAN' | 'DATE' | 'TIMESTAMP';

/** The target types of CAST. An INTEGER is a NUMERIC whose value is a 64-bit integer. */
export type CastType = FilterType | 'INTEGER';

/**
 * The type as which a value of the metadata is read. SCALAR is the JSON string, number or boolean unchanged; ARRAY a JSON
 * array; ELEMENTS an array, or a scalar as an array of one. A value of another type reads as NULL.
 */
export type ReadType = CastType | 'SCALAR' | 'ARRAY' | 'ELEMENTS';

export type PathStep =
  | { kind: 'member'; name: string }
  | { kind: 'element'; index: number }
  | { kind: 'anyMember' }
  | { kind: 'anyElement' };

export type FieldName = 'createdAt' | 'updatedAt' | 'contentType' | 'memoryId' | 'processingStatus';

export type CompareOperator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type ExtractPart =
  | 'YEAR'
  | 'QUARTER'
  | 'MONTH'
  | 'WEEK'
  | 'DAY'
  | 'DOW'
  | 'DOY'
  | 'HOUR'
  | 'MINUTE'
  | 'SECOND'
  | 'EPOCH';

/** A literal. Numbers are decimal text within ±10^500 with at most 500 decimals, and valid as a JSON number. */
export type Literal =
  | { kind: 'text'; value: string }
  | { kind: 'number'; value: string }
  | { kind: 'boolean'; value: boolean }
  | { kind: 'null'; type: ReadType };

/** A value of the metadata at a path without wildcards. */
export interface ReadExpression {
  kind: 'read';
  path: readonly PathStep[];
  as: ReadType;
}

/** `[…]` in the filter, or a scalar in its place. An element that is NULL is unknown, unlike a JSON null in the metadata. */
interface ArrayExpression {
  kind: 'array';
  items: readonly Expression[];
}

/** `negative` terms are subtracted. */
export interface SumTerm {
  negative: boolean;
  operand: Expression;
}

export type Expression =
  | Literal
  | ReadExpression
  | ArrayExpression
  | { kind: 'exists'; path: readonly PathStep[] }
  | { kind: 'field'; name: FieldName }
  | { kind: 'now' }
  | { kind: 'currentDate' }
  | { kind: 'logic'; operator: 'and' | 'or'; operands: readonly Expression[] }
  | { kind: 'not'; operand: Expression }
  | { kind: 'compare'; operator: CompareOperator; type: FilterType; left: Expression; right: Expression }
  | { kind: 'between'; type: FilterType; value: Expression; low: Expression; high: Expression }
  | { kind: 'oneOf'; type: FilterType; value: Expression; items: readonly Expression[] }
  | { kind: 'like'; ignoreCase: boolean; value: Expression; pattern: Expression }
  | { kind: 'isNull'; operand: Expression }
  /** Every element of `right` (contains), or at least one (overlaps), is in `left`. Both sides are arrays. */
  | { kind: 'contains' | 'overlaps'; left: Expression; right: Expression }
  | { kind: 'concat'; operands: readonly Expression[] }
  | { kind: 'sum'; terms: readonly SumTerm[] }
  | { kind: 'product'; operator: '*' | '/' | '%'; left: Expression; right: Expression }
  | { kind: 'addDays'; to: 'DATE' | 'TIMESTAMP'; base: Expression; days: Expression }
  | { kind: 'daysBetween'; from: Expression; until: Expression }
  | { kind: 'negate'; operand: Expression }
  | { kind: 'coalesce'; operands: readonly Expression[] }
  | { kind: 'call'; name: 'lower' | 'upper' | 'length'; operand: Expression }
  /** `operand` is a TIMESTAMP. */
  | { kind: 'extract'; part: ExtractPart; operand: Expression }
  | { kind: 'cast'; from: FilterType; to: CastType; operand: Expression };

/** One boolean expression over a memory's metadata and record. */
export interface Filter {
  condition: Expression;
}

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
