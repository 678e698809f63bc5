/**
 * A filter after parsing: typed, with every default resolved, free of type errors. The service makes it out of text and
 * the store makes SQL out of it; it lives here because the store may not know the service.
 */

export type ValueType = 'TEXT' | 'NUMERIC' | 'BOOLEAN' | 'DATE' | 'TIMESTAMP';

/** What CAST takes. An INTEGER is a NUMERIC whose value is a whole number of 64 bits. */
export type CastType = ValueType | 'INTEGER';

/**
 * What a value of the metadata is read as. SCALAR is the JSON string, number or boolean as it is; ARRAY the JSON array;
 * ELEMENTS an array or a scalar standing for an array of one. Whatever does not fit reads as NULL.
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

/** `[…]` in the text, or a scalar in its place. An element that is NULL is unknown, unlike a JSON null in the metadata. */
export interface ArrayExpression {
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
  | { kind: 'compare'; operator: CompareOperator; type: ValueType; left: Expression; right: Expression }
  | { kind: 'between'; type: ValueType; value: Expression; low: Expression; high: Expression }
  | { kind: 'oneOf'; type: ValueType; value: Expression; items: readonly Expression[] }
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
  | { kind: 'cast'; from: ValueType; to: CastType; operand: Expression };

/** One boolean expression over a memory's metadata and record. */
export interface Filter {
  condition: Expression;
}
