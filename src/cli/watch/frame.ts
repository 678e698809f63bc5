import { stripVTControlCharacters } from 'node:util';
import { displayWidth } from '../render/display-width.ts';
import type { Sink } from '../sink.ts';

const CSI = '\u001b[';
const ERASE_TO_END_OF_LINE = `${CSI}K`;
const ERASE_BELOW = `${CSI}J`;
/** Between these a row that is too long is cut by the terminal and goes on nowhere. */
const [WRAP_OFF, WRAP_ON] = [`${CSI}?7l`, `${CSI}?7h`];
const ROWS_OF_UNKNOWN = 24;

/** The size of a terminal, which changes; undefined where it does not say. */
interface Screen {
  readonly columns: number;
  readonly rows: number;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

/**
 * Rows that are drawn over the same rows again. Every row is written over what was there, and only what is left of it is
 * erased, all in one write: nothing flickers, and the scrollback stays as it is. The cursor waits in an empty row below.
 */
export class Frame {
  readonly #screen: Screen;
  readonly #sink: Sink;
  /** What is on the screen above the cursor. */
  #drawn: readonly string[] = [];
  #lines: readonly string[] = [];
  #last = '';
  readonly #redraw = (): void => void this.#draw().catch(() => {});

  constructor(screen: Screen, sink: Sink) {
    this.#screen = screen;
    this.#sink = sink;
    screen.on('resize', this.#redraw);
  }

  /** `lines` may carry colours; as many as fit are shown, and `last` below them. */
  async show(lines: readonly string[], last: string): Promise<void> {
    this.#lines = lines;
    this.#last = last;
    await this.#draw();
  }

  /** Another last line below the same ones. */
  async say(last: string): Promise<void> {
    await this.show(this.#lines, last);
  }

  /** Others have written above the cursor, as a shell does after Ctrl-Z: the rows are drawn below that. */
  startAgain(): void {
    this.#drawn = [];
    this.#redraw();
  }

  async end(): Promise<void> {
    this.#screen.off('resize', this.#redraw);
    // Takes away the ^C that the terminal has shown.
    if (this.#drawn.length > 0) await this.#sink.write(`\r${ERASE_BELOW}`);
  }

  async #draw(): Promise<void> {
    const { columns } = this.#screen;
    const height = (this.#screen.rows || ROWS_OF_UNKNOWN) - 1;
    const up = Math.min(height, rowsOf(this.#drawn, columns));
    const drawn = this.#fitting(height);
    this.#drawn = drawn;
    const rows = drawn.map((line) => `${line}${widthOf(line) < columns ? ERASE_TO_END_OF_LINE : ''}\n`);
    const back = up === 0 ? '' : `${CSI}${up}A`;
    await this.#sink.write(`\r${back}${WRAP_OFF}${rows.join('')}${ERASE_BELOW}${WRAP_ON}`);
  }

  #fitting(height: number): string[] {
    const room = Math.max(0, height - 1);
    const left = this.#lines.length - room;
    if (left <= 0) return [...this.#lines, this.#last];
    return [...this.#lines.slice(0, room), `${left} more ${left === 1 ? 'row' : 'rows'}. ${this.#last}`];
  }
}

function widthOf(line: string): number {
  return displayWidth(stripVTControlCharacters(line));
}

/** How many rows they take: a terminal that was made narrower has wrapped what was wider. */
function rowsOf(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
}
