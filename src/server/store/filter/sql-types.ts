import type { CastType, FilterType, ReadType } from './ast.ts';

/**
 * Strings are compared by code point, and their case is mapped by Unicode's rules, on every database whatever its locale.
 * Both sides of a comparison have the collation, since PostgreSQL refuses two different ones.
 */
export const BYTE_ORDER = 'collate "C"';
export const UNICODE_CASE = 'collate "pg_c_utf8"';

/** A value as an operand of a comparison. */
export function ordered(sql: string | undefined, type: FilterType): string {
  return type === 'TEXT' ? `(${sql} ${BYTE_ORDER})` : `${sql}`;
}

export const SQL_TYPES: Record<ReadType, string> = {
  TEXT: 'text',
  NUMERIC: 'numeric',
  INTEGER: 'numeric',
  BOOLEAN: 'boolean',
  DATE: 'date',
  TIMESTAMP: 'timestamptz',
  SCALAR: 'jsonb',
  ARRAY: 'jsonb[]',
  ELEMENTS: 'jsonb[]',
};

/** Casts a JSON value that `readPath` accepted for `as`; `text` is the same value as text. */
export function castRead(as: Exclude<ReadType, 'SCALAR'>, json: string, text: string): string {
  switch (as) {
    case 'ARRAY':
    case 'ELEMENTS':
      return `svc_filter_elements(${json})`;
    case 'BOOLEAN':
      return `${text}::boolean`;
    default:
      return castText(as, text);
  }
}

/** Casts a string to `to`; NULL where it is not valid. */
export function castText(to: CastType, sql: string): string {
  switch (to) {
    case 'TEXT':
      return sql;
    case 'NUMERIC':
      return `svc_filter_numeric(${sql})`;
    case 'INTEGER':
      return `svc_filter_integer(svc_filter_numeric(${sql}))`;
    case 'BOOLEAN':
      return `(case ${sql} when 'true' then true when 'false' then false end)`;
    case 'DATE':
      return `svc_filter_date(${sql})`;
    case 'TIMESTAMP':
      return `svc_filter_timestamp(${sql})`;
  }
}
