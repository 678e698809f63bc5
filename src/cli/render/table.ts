import Table from 'cli-table3';
import type { Io } from '../io.ts';
import { cut, cutStart, padStart, wrap } from './display-width.ts';
import { COLUMN_GAP, type Column, layout, type Placed } from './layout.ts';
import { oneLine } from './printable.ts';

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
    // cli-table3 colours headings and borders in pipes too unless it is told that there are no colours.
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
