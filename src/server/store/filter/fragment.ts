/** A part of an SQL expression. */
export interface Fragment {
  sql: string;
  /**
   * `row`: differs from row to row; `once`: the same for all rows, but computed; `free`: a parameter or keyword.
   */
  cost: 'row' | 'once' | 'free';
}

/**
 * Combines parts into one. A computed part that is the same for all rows becomes a scalar subquery when it is combined with
 * one that depends on the row: PostgreSQL evaluates a subquery once per query, but a function of `now()` once per row, and
 * can still use an index on the other side of a comparison.
 */
export function combine(parts: readonly Fragment[], write: (sql: string[]) => string): Fragment {
  if (!parts.some(({ cost }) => cost === 'row')) {
    return { sql: write(parts.map(({ sql }) => sql)), cost: 'once' };
  }
  return { sql: write(parts.map(({ sql, cost }) => (cost === 'once' ? `(select ${sql})` : sql))), cost: 'row' };
}

/** The sum of `terms` as a balanced tree, so that thousands of terms do not become an expression thousands of levels deep. */
export function balancedSum(terms: string[]): string {
  if (terms.length <= 2) {
    return terms.length === 2 ? `(${terms.join(' + ')})` : (terms[0] ?? '');
  }
  const middle = terms.length >> 1;
  return `(${balancedSum(terms.slice(0, middle))} + ${balancedSum(terms.slice(middle))})`;
}

/** Collects the parameter values of a statement. All values from a filter become parameters and never part of the SQL. */
export class Parameters {
  readonly values: unknown[] = [];
  readonly #first: number;

  /** `first` is the number of the first parameter, from 1. */
  constructor(first: number) {
    this.#first = first;
  }

  /** The placeholder of `value` with its SQL type, e.g. `$3::text`. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.#first + this.values.length - 1}::${type}`;
  }
}
