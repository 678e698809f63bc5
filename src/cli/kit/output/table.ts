import Table from 'cli-table3';
import { cut, cutStart, displayWidth, oneLine, padStart, wrap } from '../text/printable.ts';
import type { Io } from './io.ts';

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
interface Placed<C> {
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
function layout<C extends Pick<Column<never>, 'header' | 'whole' | 'spare' | 'isTitle'>>(
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

export interface TableOptions {
  /** Columns of the terminal; Infinity writes every cell in full. */
  width: number;
  /** A rule below the headings. Without it one line is one record, for programs that read lines. */
  rule: boolean;
  color: boolean;
  /** Long values go on below instead of being cut. */
  wraps?: boolean;
}

export function tableOptions({
  records,
  width,
  wide,
  color,
}: Pick<Io, 'records' | 'width' | 'wide' | 'color'>): TableOptions {
  return { width: wide ? Number.POSITIVE_INFINITY : width, rule: records === 'table', color };
}

/** Without lines of its own: they would cost columns, and a copied id would carry bars. */
const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(COLUMN_GAP),
};

/** Records as an aligned table with headings, each line ended by a line feed and without spaces at its end. */
export function renderTable<T>(all: readonly Column<T>[], records: readonly T[], options: TableOptions): string {
  const isShown = ({ optional, value }: Column<T>) =>
    optional !== true || records.some((record) => value(record) !== '');
  const columns = options.rule ? all.filter(isShown) : all;
  const cells = records.map((record) => columns.map(({ value }) => oneLine(value(record))));
  const placed = layout(columns, cells, options.width);
  const widths = placed.map(({ width }) => width);
  const rows = cells.flatMap((row) => (options.wraps === true ? wrapped(row, placed) : [row]));
  const table = new Table({
    chars: NO_LINES,
    colWidths: widths,
    // cli-table3 colors headings and borders in pipes too unless it is told that there are no colors.
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of [columns.map(({ header }) => header), ...rows]) {
    table.push(placed.map(({ column, index, width }) => cell(column, row[index] ?? '', width)));
  }
  const [head = '', ...lines] = table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
  const heading = options.color ? `\u001b[1m${head}\u001b[22m` : head;
  const ruleWidth = widths.reduce((sum, width) => sum + width, 0) + COLUMN_GAP * (widths.length - 1);
  const rule = options.rule ? ['─'.repeat(ruleWidth)] : [];
  return [heading, ...rule, ...lines].map((line) => `${line}\n`).join('');
}

/** A row as the lines that it takes. */
function wrapped(row: readonly string[], placed: readonly Placed<unknown>[]): string[][] {
  const lines = row.map((text, at) => {
    const width = placed.find(({ index }) => index === at)?.width;
    return width === undefined ? [] : wrap(text, width);
  });
  const height = Math.max(...lines.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => lines.map((texts) => texts[line] ?? ''));
}

type CellStyle = Pick<Column<never>, 'align' | 'keepsEnd'>;

function cell({ align, keepsEnd }: CellStyle, text: string, width: number): { content: string } {
  const fitting = keepsEnd === true ? cutStart(text, width) : cut(text, width);
  return { content: align === 'right' ? padStart(fitting, width) : fitting };
}
