/** The sort key of the last row of a page, its id last. Times are epoch milliseconds. */
export type PagePosition = readonly (string | number)[];

export type PageOrder = 'asc' | 'desc';

export interface Keyset {
  /** SQL expressions that together are unique, with the type of each, e.g. `['created_at', 'timestamptz']`. */
  columns: readonly (readonly [expression: string, type: string])[];
  order: PageOrder;
}

/** Condition for the rows after a position, whose values start at parameter `$first`. */
export function afterPosition({ columns, order }: Keyset, first: number): string {
  const left = columns.map(([expression]) => expression).join(', ');
  const right = columns.map(([, type], index) => `$${first + index}::${type}`).join(', ');
  return `(${left}) ${order === 'asc' ? '>' : '<'} (${right})`;
}

export function orderBy({ columns, order }: Keyset): string {
  return `order by ${columns.map(([expression]) => `${expression} ${order}`).join(', ')}`;
}

/** Parameters for `afterPosition`. */
export function positionValues({ columns }: Keyset, position: PagePosition): unknown[] {
  return columns.map(([, type], index) => {
    const value = position[index];
    return type === 'timestamptz' && typeof value === 'number' ? new Date(value) : value;
  });
}

/**
 * The labels of a list filter as JSON for the operator `@>`. PostgreSQL refuses NUL in a parameter, and no stored label
 * contains it: a filter with NUL becomes a label with an empty key, which matches nothing.
 */
export function labelFilterJson(labels: Readonly<Record<string, string>>): string {
  const isPossible = Object.entries(labels).every(([key, value]) => !`${key}${value}`.includes('\0'));
  return JSON.stringify(isPossible ? labels : { '': '' });
}
