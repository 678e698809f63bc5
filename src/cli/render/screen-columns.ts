import { relativeTime } from '../../shared/time.ts';
import type { Io } from '../io.ts';
import type { Column } from './layout.ts';

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
