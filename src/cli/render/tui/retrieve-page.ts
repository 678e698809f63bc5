import { WIDEST_TEXT } from '../retrieve-card.ts';

/** How the browser of results divides the terminal. */
export interface Page {
  /** Columns of the terminal. */
  width: number;
  /** Rows between the heading and the keys. */
  rows: number;
  /** Results that fit there. */
  entries: number;
  /** Columns for a text beside its mark. */
  columns: number;
}

/** Heading, rule, keys, and the last row, which stays empty: a line feed there would scroll. */
const AROUND = 4;
const ROWS_OF_ENTRY = 2;
export const MARK = 2;

export function pageOf({ columns, rows }: { columns: number; rows: number }): Page {
  const body = Math.max(1, rows - AROUND);
  return {
    width: columns,
    rows: body,
    entries: Math.max(1, Math.floor(body / ROWS_OF_ENTRY)),
    columns: Math.max(1, Math.min(columns - MARK, WIDEST_TEXT)),
  };
}
