import type { Io } from '../io.ts';
import { cut } from './display-width.ts';

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
