import type { Io } from '../io.ts';
import { renderBlocks } from './blocks.ts';
import type { Column } from './layout.ts';
import { screenColumns } from './screen-columns.ts';
import { renderTable, tableOptions } from './table.ts';

/** Rows of one kind as people read them: a table, or keys and values where a table has no room. */
export function rowsText<T>(
  io: Pick<Io, 'records' | 'width' | 'wide' | 'color' | 'now'>,
  columns: readonly Column<T>[],
  rows: readonly T[],
  wraps = false,
): string {
  return io.records === 'blocks'
    ? renderBlocks(columns, rows)
    : renderTable(screenColumns(columns, rows, io), rows, { ...tableOptions(io), wraps });
}
