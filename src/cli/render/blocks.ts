import { displayWidth, padEnd } from './display-width.ts';
import { shownFields } from './fields.ts';
import type { Column } from './layout.ts';

/** One record as keys and values, one a line; keys are padded so that the values stand in a column. Empty values are left out. */
export function renderBlock<T>(fields: readonly Column<T>[], record: T): string {
  const shown = shownFields(fields, record);
  const width = Math.max(0, ...shown.map(([key]) => displayWidth(key)));
  return shown.map(([key, value]) => `${padEnd(key, width)}  ${value}\n`).join('');
}

/** Records as blocks with an empty line between them. */
export function renderBlocks<T>(fields: readonly Column<T>[], records: readonly T[]): string {
  return records.map((record) => renderBlock(fields, record)).join('\n');
}
