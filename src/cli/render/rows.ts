import type { Io } from '../io.ts';
import { renderBlocks } from './blocks.ts';
import type { Column } from './layout.ts';
import { renderTable } from './table.ts';

/** Rows of one kind as people read them: a table, or keys and values where a table has no room. */
export function rowsText<T>(
  { records, width, color }: Pick<Io, 'records' | 'width' | 'color'>,
  columns: readonly Column<T>[],
  rows: readonly T[],
): string {
  if (records === 'blocks') return renderBlocks(columns, rows);
  return renderTable(columns, rows, { width, rule: records === 'table', color });
}
