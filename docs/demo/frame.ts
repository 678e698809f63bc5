import type headless from '@xterm/headless';

/** The style of a run of characters. Colors are numbers of the terminal's palette, or `#rrggbb`. */
interface Style {
  color?: number | string;
  background?: number | string;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
}

/** Adjacent characters of one style. */
export interface Span {
  column: number;
  text: string;
  /** Columns that it takes. */
  width: number;
  style: Style;
}

export type Row = readonly Span[];

/** What a terminal shows from `at` on, in milliseconds. Rows beyond the last one are empty. */
export interface Frame {
  at: number;
  rows: readonly Row[];
  /** Undefined while it is hidden. */
  cursor?: { row: number; column: number };
}

type Cell = headless.IBufferCell;

/** The rows of the screen, without the scrollback. */
export function readRows(terminal: headless.Terminal): Row[] {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, at) => {
    const line = active.getLine(active.viewportY + at);
    return line === undefined ? [] : readRow(line);
  });
}

function readRow(line: headless.IBufferLine): Row {
  const spans: Span[] = [];
  for (let column = 0; column < line.length; column += 1) {
    const cell = line.getCell(column);
    // The second half of a wide character has no width of its own.
    if (cell === undefined || cell.getWidth() === 0) continue;
    const text = cell.getChars() || ' ';
    const style = styleOf(cell);
    const last = spans.at(-1);
    if (last !== undefined && column === last.column + last.width && isSame(last.style, style)) {
      last.text += text;
      last.width += cell.getWidth();
    } else {
      spans.push({ column, text, width: cell.getWidth(), style });
    }
  }
  return spans.flatMap(withoutBlanks);
}

/** Blanks show nothing unless they have a background. */
function withoutBlanks(span: Span): Span[] {
  if (span.style.background !== undefined || span.style.underline === true) return [span];
  const head = span.text.length - span.text.trimStart().length;
  const text = span.text.trim();
  const tail = span.text.length - head - text.length;
  return text === '' ? [] : [{ ...span, text, column: span.column + head, width: span.width - head - tail }];
}

function styleOf(cell: Cell): Style {
  const color = colorOf(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor());
  const background = colorOf(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor());
  const [front, back] = cell.isInverse() !== 0 ? [background ?? 0, color ?? 7] : [color, background];
  return {
    ...(front === undefined ? {} : { color: front }),
    ...(back === undefined ? {} : { background: back }),
    ...(cell.isBold() !== 0 ? { bold: true } : {}),
    ...(cell.isDim() !== 0 ? { dim: true } : {}),
    ...(cell.isItalic() !== 0 ? { italic: true } : {}),
    ...(cell.isUnderline() !== 0 ? { underline: true } : {}),
  };
}

function colorOf(isDefault: boolean, isRgb: boolean, value: number): number | string | undefined {
  if (isDefault) return undefined;
  return isRgb ? `#${value.toString(16).padStart(6, '0')}` : value;
}

function isSame(a: Style, b: Style): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
