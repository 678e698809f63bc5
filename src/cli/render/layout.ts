import { displayWidth } from './display-width.ts';

/** A column of a list, or a line of a record. */
export interface Column<T> {
  readonly header: string;
  value(record: T): string;
  /** Cut only when nothing else is left to cut: ids and the like are useless in part. */
  readonly whole?: boolean;
  readonly align?: 'right';
}

export const COLUMN_GAP = 2;
/** Narrower than this a cut text says nothing; a column is rather left out. */
const NARROWEST = 10;

/**
 * Widths of columns so that a line fits into `width`: the widest column that may be cut gives way first. When that is not
 * enough, columns at the end are left out, which shows as a shorter result.
 */
export function layout(
  columns: readonly Pick<Column<never>, 'header' | 'whole'>[],
  rows: readonly (readonly string[])[],
  width: number,
): number[] {
  const natural = columns.map(({ header }, index) =>
    rows.reduce((most, row) => Math.max(most, displayWidth(row[index] ?? '')), displayWidth(header)),
  );
  for (let count = natural.length; count > 0; count -= 1) {
    const widths = natural.slice(0, count);
    while (total(widths) > width) {
      const wide = widest(widths, (index) => columns[index]?.whole !== true);
      if (wide === undefined) break;
      widths[wide] = (widths[wide] ?? 0) - 1;
    }
    if (total(widths) <= width) return widths;
  }
  return [width];
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + COLUMN_GAP * (widths.length - 1);
}

function widest(widths: readonly number[], mayShrink: (index: number) => boolean): number | undefined {
  let found: number | undefined;
  for (const [index, width] of widths.entries()) {
    if (width <= NARROWEST || !mayShrink(index)) continue;
    if (found === undefined || width > (widths[found] ?? 0)) found = index;
  }
  return found;
}
