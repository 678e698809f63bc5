import { AGAIN, Gate, isWorthRepeating, pauseText } from '../kit/bulk/gate.ts';
import type { StoreContext } from '../kit/bulk/store-memories.ts';
import type { CommandContext } from '../kit/command.ts';
import { failureJson, failureOf } from '../kit/failure.ts';
import type { Io } from '../kit/output/io.ts';
import { barText, ProgressLine, timeLeft } from '../kit/output/progress.ts';
import { bytesText, counted } from '../kit/text/figures.ts';
import { oneLine } from '../kit/text/printable.ts';

type TransferOutcome = 'written' | 'stored' | 'present' | 'expired' | 'failed';

const WORDS: Readonly<Record<TransferOutcome, string>> = {
  written: 'written',
  stored: 'stored',
  present: 'there already',
  expired: 'expired meanwhile',
  failed: 'failed',
};

/** Tells on stderr how memories move: progress, failures as they happen, counts at the end. */
export class TransferReport {
  readonly #io: Io;
  readonly progress: TransferProgress;
  readonly #counts = new Map<TransferOutcome, number>();
  #bytes = 0;
  #chunks = 0;
  #exit: number | undefined;
  #isWorthRepeating = false;

  constructor(io: Io) {
    this.#io = io;
    this.progress = new TransferProgress(io);
  }

  /** The exit code of the first failure, else 0. */
  get exit(): number {
    return this.#exit ?? 0;
  }

  /** So many bytes of one memory are through. */
  async count(outcome: TransferOutcome, bytes: number): Promise<void> {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
    this.#bytes += bytes;
    await this.#show();
  }

  async countChunk(): Promise<void> {
    this.#chunks += 1;
    await this.#show();
  }

  async fail(at: string, error: unknown): Promise<void> {
    const failure = failureOf(error);
    this.#exit ??= failure.exit;
    this.#isWorthRepeating ||= isWorthRepeating(error);
    await this.count('failed', 0);
    const { message, details } = failure;
    if (this.#io.isData) {
      await this.progress.clear();
      return this.#io.stderr.write(failureJson({ ...failure, message: `${at}: ${message}` }));
    }
    await this.note(oneLine(`failed  ${at}: ${[message, details].filter((part) => part !== '').join(': ')}`));
  }

  async note(text: string): Promise<void> {
    await this.progress.clear();
    await this.#io.stderr.write(`${text}\n`);
  }

  /**
   * The end of an import: `Memories: 12 stored, 3 there already (4.2 MB)`, and how to go on where a repeat can help.
   * `stopped` has the failure that has ended it early.
   */
  async end(stopped: { error: unknown } | undefined, isInterrupted: boolean): Promise<void> {
    if (stopped !== undefined) this.#isWorthRepeating ||= isWorthRepeating(stopped.error);
    const none = stopped === undefined ? 'No memories to store' : 'No memory is stored yet';
    const counts = this.#counts.size === 0 ? none : `Memories: ${this.#countsText()}`;
    await this.note(
      isInterrupted ? `Interrupted. ${counts}; the server may also have stored what was being sent` : counts,
    );
    if (isInterrupted || this.#isWorthRepeating) await this.note(AGAIN);
  }

  /** The end of an export; one that was interrupted says how far it had come. */
  async written(file: string, isWhole: boolean, isInterrupted: boolean): Promise<void> {
    const memories = counted(this.#counts.get('written') ?? 0, 'memory');
    if (isInterrupted) await this.note(`Interrupted after ${memories} (${bytesText(this.#bytes)})`);
    if (isWhole)
      await this.note(`Exported to ${file === '-' ? 'stdout' : file}: ${memories} (${bytesText(this.#bytes)})`);
    else
      await this.note(
        `Not exported: ${file === '-' ? 'what is on stdout is not complete' : `${file} was not written`}`,
      );
  }

  async #show(): Promise<void> {
    const memories = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    await this.progress.show({ memories, bytes: this.#bytes, chunks: this.#chunks });
  }

  #countsText(): string {
    const counts = [...this.#counts].map(([outcome, count]) => `${count} ${WORDS[outcome]}`);
    return `${counts.join(', ')} (${bytesText(this.#bytes)})`;
  }
}

/** What a transfer needs to read and store memories, with the report that its pauses are told in. */
interface Transfer {
  store: StoreContext;
  report: TransferReport;
}

export async function openTransfer({ io, client, signal }: CommandContext): Promise<Transfer> {
  const report = new TransferReport(io);
  const gate = new Gate({
    signal,
    onPause: (pause) => report.note(pauseText(pause)),
    onResume: async () => {},
  });
  return { store: { client: await client(), gate, signal }, report };
}

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
class TransferProgress {
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
    // Drawn later when nothing follows: otherwise the line would keep an earlier count.
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
