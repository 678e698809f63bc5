import { cut } from '../text/printable.ts';
import type { Io } from './io.ts';

const ERASE_LINE = '\r\u001b[K';
const WIDTH_OF_UNKNOWN = 80;

/** One line on stderr that is drawn again and again; where nothing may be redrawn it stays silent. */
export class ProgressLine {
  readonly #io: Pick<Io, 'stderr' | 'redraws' | 'width'>;
  #isShown = false;

  constructor(io: Pick<Io, 'stderr' | 'redraws' | 'width'>) {
    this.#io = io;
  }

  async show(text: string): Promise<void> {
    const { stderr, redraws, width } = this.#io;
    if (!redraws) return;
    this.#isShown = true;
    // A full line would wrap, and a wrapped line cannot be erased.
    await stderr.write(`${ERASE_LINE}${cut(text, (Number.isFinite(width) ? width : WIDTH_OF_UNKNOWN) - 1)}`);
  }

  /** Makes room for other output. */
  async clear(): Promise<void> {
    if (!this.#isShown) return;
    this.#isShown = false;
    await this.#io.stderr.write(ERASE_LINE);
  }
}

/** The two parts of a bar of which `share` is full, from 0 to 1. Heavy against light lines, so that it reads without color. */
export function barText(share: number, columns: number): { full: string; rest: string } {
  const halves = Math.round(Math.min(1, Math.max(0, share)) * columns * 2);
  const full = '━'.repeat(Math.floor(halves / 2)) + (halves % 2 === 1 ? '╸' : '');
  return { full, rest: '─'.repeat(columns - full.length) };
}

/** Before that a rate says more about the first call than about the rest. */
const FIRST_ESTIMATE_MS = 2000;

/** `12 s left`, when `share` of the work, from 0 to 1, took so long; undefined before that can be told. */
export function timeLeft(share: number, ms: number): string | undefined {
  if (share <= 0 || share >= 1 || ms < FIRST_ESTIMATE_MS) return undefined;
  const seconds = Math.max(1, Math.round((ms / share) * (1 - share) * 0.001));
  if (seconds < 100) return `${seconds} s left`;
  return `${seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`} left`;
}
