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
const NARROWEST = 6;

/**
 * Widths of columns so that a line fits into `width`: the widest column that may be cut gives way first. Columns at the
 * end for which nothing is left are dropped, which shows as a shorter result.
 */
export function layout(
  columns: readonly Pick<Column<never>, 'header' | 'whole'>[],
  rows: readonly (readonly string[])[],
  width: number,
): number[] {
  let widths = columns.map(({ header }, index) =>
    Math.max(displayWidth(header), ...rows.map((row) => displayWidth(row[index] ?? ''))),
  );
  while (total(widths) > width) {
    const wide = widest(widths, (index) => columns[index]?.whole !== true);
    if (wide !== undefined) widths[wide] = (widths[wide] ?? 0) - 1;
    else if (widths.length > 1) widths = widths.slice(0, -1);
    else return [width];
  }
  return widths;
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
