import type { ValueType } from './ast.ts';

/**
 * Text is compared by code points and its case is changed by Unicode's rules on every database, whatever its locale.
 * Both sides carry the collation: two different ones on the two sides would be an error.
 */
export const BYTE_ORDER = 'collate "C"';
export const UNICODE_CASE = 'collate "pg_c_utf8"';

/** A value as comparisons take it. */
export function ordered(sql: string | undefined, type: ValueType): string {
  return type === 'TEXT' ? `(${sql} ${BYTE_ORDER})` : `${sql}`;
}
