/** A piece of a statement. */
export interface Fragment {
  sql: string;
  /**
   * `row`: has another value for every row; `once`: the same for all rows but costs a computation; `free`: a parameter
   * or keyword.
   */
  cost: 'row' | 'once' | 'free';
}

/**
 * Puts pieces together. A piece that is the same for all rows becomes a scalar subquery as soon as it meets a row:
 * PostgreSQL evaluates that once a query, where it would call a function on `now()` once a row, and can still use an
 * index on the other side of a comparison.
 */
export function combine(parts: readonly Fragment[], write: (sql: string[]) => string): Fragment {
  if (!parts.some(({ cost }) => cost === 'row')) {
    return { sql: write(parts.map(({ sql }) => sql)), cost: 'once' };
  }
  return { sql: write(parts.map(({ sql, cost }) => (cost === 'once' ? `(select ${sql})` : sql))), cost: 'row' };
}
