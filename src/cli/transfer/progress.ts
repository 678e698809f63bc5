import type { Io } from '../kit/output/io.ts';
import { barText, ProgressLine, timeLeft } from '../kit/output/progress.ts';
import { bytesText, counted } from '../kit/text/figures.ts';

/** How far a transfer has come. */
export interface Moved {
  memories: number;
  /** Of their content. */
  bytes: number;
  chunks: number;
}

const BAR_COLUMNS = 20;
/** A memory costs about as much time as so many of its bytes. */
const BYTES_OF_A_MEMORY = 4096;
const FRAME_MS = 100;
/** Where nothing may be redrawn. */
const STEP_MS = 5000;

/**
 * Shows on stderr how a transfer goes on: a line with a bar that is redrawn, on a terminal without redrawing a line now and
 * then, elsewhere nothing.
 */
export class TransferProgress {
  readonly #io: Pick<Io, 'stderr' | 'redraws' | 'showsProgress' | 'width' | 'now'>;
  readonly #line: ProgressLine;
  readonly #began: number;
  #shown: number;
  #late: NodeJS.Timeout | undefined;
  #total: Moved | undefined;
  #share: (() => number) | undefined;

  constructor(io: Pick<Io, 'stderr' | 'redraws' | 'showsProgress' | 'width' | 'now'>) {
    this.#io = io;
    this.#line = new ProgressLine(io);
    this.#began = io.now();
    // A step is told when it has taken its time, a picture is drawn at once.
    this.#shown = io.redraws ? Number.NEGATIVE_INFINITY : this.#began;
  }

  /** What there is to move, once that is known. */
  expect(total: Moved): void {
    this.#total = total;
  }

  /** Tells the share that is done, from 0 to 1, where what there is to move is not known. */
  measure(share: () => number): void {
    this.#share = share;
  }

  async show(moved: Moved): Promise<void> {
    const { redraws, showsProgress, now } = this.#io;
    if (!showsProgress) return;
    clearTimeout(this.#late);
    const waitMs = this.#shown + (redraws ? FRAME_MS : STEP_MS) - now();
    if (waitMs <= 0) await this.#draw(moved);
    // What nothing follows for long would otherwise never be seen: the line would stand at an earlier count.
    else if (redraws) this.#late = setTimeout(() => void this.#draw(moved).catch(() => {}), waitMs).unref();
  }

  async #draw(moved: Moved): Promise<void> {
    const { stderr, redraws, now } = this.#io;
    this.#shown = now();
    const figures = this.#figures(moved);
    if (redraws) await this.#line.show(figures);
    else await stderr.write(`${figures}\n`);
  }

  /** Makes room for other output. */
  async clear(): Promise<void> {
    clearTimeout(this.#late);
    await this.#line.clear();
  }

  #figures(moved: Moved): string {
    const { memories, bytes, chunks } = moved;
    const total = this.#total;
    const ms = this.#io.now() - this.#began;
    const parts = [
      total === undefined ? counted(memories, 'memory') : `${memories}/${counted(total.memories, 'memory')}`,
    ];
    if (chunks > 0) parts.push(counted(chunks, 'chunk'));
    parts.push(total === undefined ? bytesText(bytes) : `${bytesText(bytes)} of ${bytesText(total.bytes)}`);
    if (ms > 0) parts.push(`${bytesText((bytes * 1000) / ms)}/s`);
    const share = total === undefined ? this.#share?.() : weight(moved) / Math.max(1, weight(total));
    if (share === undefined) return parts.join('  ');
    const { full, rest } = barText(share, BAR_COLUMNS);
    const left = timeLeft(share, ms);
    if (left !== undefined) parts.push(left);
    return [`${full}${rest} ${Math.floor(Math.min(1, share) * 100)} %`, ...parts].join('  ');
  }
}

function weight({ memories, bytes }: Moved): number {
  return bytes + memories * BYTES_OF_A_MEMORY;
}
