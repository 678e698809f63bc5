import { displayWidth } from './display-width.ts';

/** A column of a list, or a line of a record. */
export interface Column<T> {
  readonly header: string;
  value(record: T): string;
  /** Cut only when nothing else is left to cut: ids and the like are useless in part. */
  readonly whole?: boolean;
  /** Where there is no room it goes before the columns behind it. */
  readonly spare?: boolean;
  /** Left out of a table for people while no record has a value; programs find it always. */
  readonly optional?: boolean;
  /** Cut at its start: the end of a path says more. */
  readonly keepsEnd?: boolean;
  readonly align?: 'right';
  /** What people know a record by. A screen shows it first and cuts it last. */
  readonly isTitle?: boolean;
  /** Holds ids. A screen shows as much of them as tells them apart. */
  readonly isId?: boolean;
  /** Epoch milliseconds of the moment that `value` writes as ISO 8601. A screen says how far it lies from now. */
  time?(record: T): number | undefined;
}

export const COLUMN_GAP = 2;
/** Narrower than this a cut text says nothing; a column is rather left out. */
const NARROWEST = 10;
/** What a record is known by is worth more than a column that may be spared. */
const NARROWEST_TITLE = 20;

/** A column that has room. */
export interface Placed<C> {
  readonly column: C;
  /** Its place among all columns, shown or not. */
  readonly index: number;
  readonly width: number;
}

/**
 * Widths of columns so that a line fits into `width`: columns without a single value are left out first, then the widest
 * column that may be cut gives way. When that is not enough, columns are left out: the spare ones first, then those at the
 * end.
 */
export function layout<C extends Pick<Column<never>, 'header' | 'whole' | 'spare' | 'isTitle'>>(
  columns: readonly C[],
  rows: readonly (readonly string[])[],
  width: number,
): Placed<C>[] {
  let placed = columns.map((column, index) => ({
    column,
    index,
    width: rows.reduce((most, row) => Math.max(most, displayWidth(row[index] ?? '')), displayWidth(column.header)),
  }));
  if (rows.length > 0 && total(placed.map((one) => one.width)) > width) {
    const filled = placed.filter(({ index }) => rows.some((row) => (row[index] ?? '') !== ''));
    if (filled.length > 0) placed = filled;
  }
  for (;;) {
    const widths = placed.map((one) => one.width);
    while (total(widths) > width) {
      const wide = widest(widths, (at) => leastOf(placed[at]?.column));
      if (wide === undefined) break;
      widths[wide] = (widths[wide] ?? 0) - 1;
    }
    const fits = total(widths) <= width;
    if (fits || placed.length < 2) {
      return placed.map((one, at) => ({ ...one, width: fits ? (widths[at] ?? 0) : width }));
    }
    const least = placed.findLast(({ column }) => column.spare === true) ?? placed.at(-1);
    placed = placed.filter((one) => one !== least);
  }
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + COLUMN_GAP * (widths.length - 1);
}

/** How narrow a column may become. */
function leastOf(column: Pick<Column<never>, 'whole' | 'isTitle'> | undefined): number {
  if (column?.whole === true) return Number.POSITIVE_INFINITY;
  return column?.isTitle === true ? NARROWEST_TITLE : NARROWEST;
}

function widest(widths: readonly number[], least: (index: number) => number): number | undefined {
  let found: number | undefined;
  for (const [index, width] of widths.entries()) {
    if (width <= least(index)) continue;
    if (found === undefined || width > (widths[found] ?? 0)) found = index;
  }
  return found;
}
