import { stripVTControlCharacters } from 'node:util';
import { sleep } from '../../shared/async/timer.ts';
import type { CommandBody } from './command.ts';
import { hasCode, usageError } from './errors.ts';
import { failureOf } from './failure.ts';
import { type Flag, inGroup } from './flags/flag.ts';
import { single, toggle } from './flags/kinds.ts';
import { durationMs } from './flags/time.ts';
import type { Io } from './output/io.ts';
import type { Sink } from './output/sink.ts';
import { durationText } from './text/figures.ts';
import { displayWidth, oneLine } from './text/printable.ts';

const DEFAULT_INTERVAL_MS = 2000;
const LEAST_INTERVAL_MS = 100;
/** A timer of Node holds 24.8 days; one that is longer ends at once. */
const MOST_INTERVAL_MS = 86_400_000;

const INTERVAL: Flag<number | undefined> = single(
  '--interval <seconds>',
  'Between two refreshes: 5, 0.5, 1m (default 2)',
  (text, name) => {
    const ms = durationMs(text);
    if (ms !== undefined && ms >= LEAST_INTERVAL_MS && ms <= MOST_INTERVAL_MS) return ms;
    throw usageError(`${name} must be from 0.1 seconds to a day, such as 5, 0.5 or 1m, got "${text}"`);
  },
);

const FLAGS = inGroup('Watching', {
  watch: toggle('-w, --watch', 'Show it again and again until Ctrl-C, without a pager'),
  interval: INTERVAL,
});

const NOTES =
  'With --watch it never ends by itself: Ctrl-C ends it with 130. A terminal shows the latest state in place, cut to its height; elsewhere, with --plain and in the JSON forms every refresh is written below the one before. A server that cannot be reached, is too busy or too slow is asked again, and the last line (elsewhere stderr) says so; any other failure ends it, and so does any failure of the first call.';

/** The same command with `--watch`, which shows again and again what it shows. */
export function watchable<C extends CommandBody>(record: C): C {
  return {
    ...record,
    notes: record.notes === undefined ? NOTES : `${record.notes} ${NOTES}`,
    flags: { ...record.flags, ...FLAGS },
    async run(context, { args, flags: { watch, interval, ...flags } }) {
      if (watch !== true) {
        if (interval !== undefined) throw usageError('--interval needs --watch');
        return record.run(context, { args, flags });
      }
      const everyMs = (interval as number | undefined) ?? DEFAULT_INTERVAL_MS;
      // Connected before anything is drawn: remarks about the connection stay above it.
      await context.client();
      return watching(context.io, everyMs, (io) => record.run({ ...context, io }, { args, flags }));
    },
  };
}

/** Refreshes until a failure ends it; Ctrl-C is one. */
async function watching(io: Io, everyMs: number, refresh: (io: Io) => Promise<unknown>): Promise<never> {
  const display = openWatchDisplay(io, everyMs);
  try {
    await display.refresh(refresh);
    for (;;) {
      await sleep(everyMs, io.signal);
      await again(display, refresh, io.signal);
    }
  } finally {
    await display.end();
  }
}

async function again(display: Display, refresh: (io: Io) => Promise<unknown>, signal: AbortSignal): Promise<void> {
  try {
    await display.refresh(refresh);
  } catch (error) {
    if (!hasCode(error, 'UNAVAILABLE', 'RESOURCE_EXHAUSTED', 'DEADLINE_EXCEEDED')) throw error;
    const { message, details } = failureOf(error);
    await display.stale(details === '' ? message : `${message}: ${details}`);
    // What the server asked for, beyond the interval.
    await sleep(Math.min((error.retryAfterSeconds ?? 0) * 1000, MOST_INTERVAL_MS), signal);
  }
}

/** Where the refreshes of a watched command go. */
interface Display {
  /** Shows what the work writes. Throws what it throws; a frame then keeps what it showed. */
  refresh(work: (io: Io) => Promise<unknown>): Promise<void>;
  /** Says that what is shown is no longer fresh, and why. */
  stale(reason: string): Promise<void>;
  end(): Promise<void>;
}

/** `everyMs` is the time between two refreshes. */
function openWatchDisplay(io: Io, everyMs: number): Display {
  const selects = io.selection !== undefined;
  if (io.terminal !== undefined && !selects) return inPlace(io, io.terminal, everyMs);
  // Programs that follow read lines.
  return appended(selects ? { ...io, records: 'ndjson' } : io);
}

function inPlace(io: Io, terminal: NonNullable<Io['terminal']>, everyMs: number): Display {
  const frame = new Frame(terminal.stdout, io.stdout);
  const release = io.onContinue(() => frame.startAgain());
  const seconds = everyMs / 1000;
  let freshAt = io.now();
  return {
    async refresh(work) {
      let text = '';
      const sink = {
        write: async (data: string | Uint8Array) => {
          text += typeof data === 'string' ? data : Buffer.from(data).toString();
        },
      };
      await work({ ...io, width: terminal.stdout.columns, stdout: sink, stderr: sink });
      freshAt = io.now();
      await frame.show(text.trimEnd().split('\n'), `Every ${seconds} s. Ctrl-C ends it.`);
    },
    stale: (reason) =>
      frame.say(`Not refreshed for ${durationText(io.now() - freshAt)}, trying again: ${oneLine(reason)}`),
    end: () => {
      release();
      return frame.end();
    },
  };
}

/** One below the other. Remarks that a refresh only repeats are not said again. */
function appended(io: Io): Display {
  let count = 0;
  let said = '';
  const say = async (text: string): Promise<void> => {
    if (text !== said && text !== '') await io.stderr.write(text);
    said = text;
  };
  return {
    async refresh(work) {
      let remarks = '';
      const stderr = {
        write: async (data: string | Uint8Array) => {
          remarks += Buffer.from(data).toString();
        },
      };
      const isFirst = count === 0;
      count += 1;
      let isBegun = isFirst || io.isData;
      const stdout = {
        write: async (data: string | Uint8Array) => {
          if (!isBegun) await io.stdout.write('\n');
          isBegun = true;
          await io.stdout.write(data);
        },
      };
      await work({ ...io, stdout, stderr });
      await say(remarks);
    },
    stale: (reason) => say(`svc: Not refreshed, trying again: ${oneLine(reason)}\n`),
    end: async () => {},
  };
}

const CSI = '\u001b[';
const ERASE_TO_END_OF_LINE = `${CSI}K`;
const ERASE_BELOW = `${CSI}J`;
/** Between these a row that is too long is cut by the terminal and goes on nowhere. */
const [WRAP_OFF, WRAP_ON] = [`${CSI}?7l`, `${CSI}?7h`];
const ROWS_OF_UNKNOWN = 24;

/** The size of a terminal, which changes; undefined where it does not say. */
interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

/**
 * Rows that are redrawn in place. Every row is written over what was there, and only what is left of it is
 * erased, all in one write: nothing flickers, and the scrollback stays as it is. The cursor waits in an empty row below.
 */
class Frame {
  readonly #screen: ScreenSize;
  readonly #sink: Sink;
  /** What is on the screen above the cursor. */
  #drawn: readonly string[] = [];
  #lines: readonly string[] = [];
  #last = '';
  readonly #redraw = (): void => void this.#draw().catch(() => {});

  constructor(screen: ScreenSize, sink: Sink) {
    this.#screen = screen;
    this.#sink = sink;
    screen.on('resize', this.#redraw);
  }

  /** `lines` may carry colors; as many as fit are shown, and `last` below them. */
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
