import { relativeTime } from '../../../shared/time.ts';
import { displayWidth, oneLine, padEnd, wrap } from '../text/printable.ts';
import type { Io } from './io.ts';
import { COLUMN_GAP, type Column, renderTable, type TableOptions, tableOptions } from './table.ts';

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

/** The lines of a record that have something to say, in order: its key in lower case and its value on one line. */
function shownFields<T>(fields: readonly Column<T>[], record: T): readonly (readonly [key: string, value: string])[] {
  return fields
    .map(({ header, value }) => [header.toLowerCase(), oneLine(value(record))] as const)
    .filter(([, value]) => value !== '');
}

/** With so many characters an id is found again. */
const SHORTEST_ID = 8;

/**
 * Columns as a screen shows them: names before ids, and unless all is wanted whole, ids as short as they can be told apart
 * among these rows and times as they lie from now. A pipe gets columns as they are: ids stand first there, because names
 * may have spaces.
 */
export function screenColumns<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  { records, wide, now }: Pick<Io, 'records' | 'wide' | 'now'>,
): readonly Column<T>[] {
  if (records !== 'table') return columns;
  const ordered = [
    ...columns.filter(({ isTitle }) => isTitle === true),
    ...columns.filter(({ isTitle }) => isTitle !== true),
  ];
  if (wide) return ordered;
  const present = now();
  return ordered.map((column) => withShortIds(withRelativeTime(column, present), rows));
}

function withShortIds<T>(column: Column<T>, rows: readonly T[]): Column<T> {
  if (column.isId !== true) return column;
  const length = shortestLength(rows.map(column.value));
  return { ...column, value: (row) => column.value(row).slice(0, length) };
}

/** How many characters tell these ids apart. A hyphen at the end says nothing. */
function shortestLength(ids: readonly string[]): number {
  const sorted = [...new Set(ids)].sort();
  const shared = sorted.slice(1).map((id, at) => sharedLength(id, sorted[at] ?? ''));
  const length = Math.max(SHORTEST_ID, ...shared.map((characters) => characters + 1));
  return sorted[0]?.charAt(length - 1) === '-' ? length + 1 : length;
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

function withRelativeTime<T>(column: Column<T>, now: number): Column<T> {
  const { time } = column;
  if (time === undefined) return column;
  return { ...column, value: (row) => relativeText(time(row), now) };
}

function relativeText(ms: number | undefined, now: number): string {
  return ms === undefined ? '' : relativeTime(ms, now);
}

/** Fields of a record as a screen shows them: with each time, how far it lies from now. */
export function screenFields<T>(
  fields: readonly Column<T>[],
  { wide, now }: Pick<Io, 'wide' | 'now'>,
): readonly Column<T>[] {
  if (wide) return fields;
  const present = now();
  return fields.map((field) => {
    const { time } = field;
    if (time === undefined) return field;
    const value = (record: T): string => {
      const iso = field.value(record);
      return iso === '' ? '' : `${iso} (${relativeText(time(record), present)})`;
    };
    return { ...field, value };
  });
}
