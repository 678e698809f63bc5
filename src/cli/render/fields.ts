import type { Column } from './layout.ts';
import { oneLine } from './printable.ts';

/** The lines of a record that have something to say, in order: its key in lower case and its value on one line. */
export function shownFields<T>(
  fields: readonly Column<T>[],
  record: T,
): readonly (readonly [key: string, value: string])[] {
  return fields
    .map(({ header, value }) => [header.toLowerCase(), oneLine(value(record))] as const)
    .filter(([, value]) => value !== '');
}
