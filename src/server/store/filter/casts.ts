import type { CastType, ReadType } from './ast.ts';

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

/** A JSON value that `readPath` let through as `as`; `text` is the same value as text. */
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

/** A text as `to`, NULL where it does not cast. */
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
