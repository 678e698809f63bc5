import Table from 'cli-table3';
import type { Io } from '../io.ts';
import { cut, padStart } from './display-width.ts';
import { COLUMN_GAP, type Column, layout } from './layout.ts';
import { oneLine } from './printable.ts';

export interface TableOptions {
  /** Columns of the terminal; Infinity writes every cell in full. */
  width: number;
  /** A rule below the headings. Without it one line is one record, for programs that read lines. */
  rule: boolean;
  color: boolean;
}

export function tableOptions({ records, width, color }: Pick<Io, 'records' | 'width' | 'color'>): TableOptions {
  return { width, rule: records === 'table', color };
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
export function renderTable<T>(columns: readonly Column<T>[], records: readonly T[], options: TableOptions): string {
  const cells = records.map((record) => columns.map(({ value }) => oneLine(value(record))));
  const widths = layout(columns, cells, options.width);
  const shown = columns.slice(0, widths.length);
  const table = new Table({
    chars: NO_LINES,
    colWidths: widths,
    // cli-table3 colours headings and borders in pipes too unless it is told that there are no colours.
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of [columns.map(({ header }) => header), ...cells]) {
    table.push(shown.map((column, index) => cell(column, row[index] ?? '', widths[index] ?? 0)));
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

function cell({ align }: Pick<Column<never>, 'align'>, text: string, width: number): { content: string } {
  const fitting = cut(text, width);
  return { content: align === 'right' ? padStart(fitting, width) : fitting };
}
