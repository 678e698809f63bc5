import { displayWidth, wrap } from './display-width.ts';
import { shownFields } from './fields.ts';
import { COLUMN_GAP, type Column } from './layout.ts';
import { renderTable, type TableOptions } from './table.ts';

type Line = readonly [key: string, value: string];

const KEY: Column<Line> = { header: 'FIELD', value: ([key]) => key, whole: true };
const VALUE: Column<Line> = { header: 'VALUE', value: ([, value]) => value };

/**
 * One record as a table of two columns, in the look of a list. A list may cut, because a record can be looked at; here
 * nothing is behind what is shown, so long values go on below. Empty values are left out.
 */
export function renderRecord<T>(fields: readonly Column<T>[], record: T, options: TableOptions): string {
  const shown = shownFields(fields, record);
  const keyWidth = Math.max(displayWidth(KEY.header), ...shown.map(([key]) => displayWidth(key)));
  const valueWidth = options.width - keyWidth - COLUMN_GAP;
  const lines = shown.flatMap(([key, value]) =>
    wrap(value, valueWidth).map((line, index): Line => [index === 0 ? key : '', line]),
  );
  return renderTable([KEY, VALUE], lines, options);
}
