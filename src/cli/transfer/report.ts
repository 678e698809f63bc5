import { AGAIN, isWorthRepeating } from '../kit/bulk/gate.ts';
import { failureJson, failureOf } from '../kit/failure.ts';
import type { Io } from '../kit/output/io.ts';
import { bytesText, counted } from '../kit/text/figures.ts';
import { oneLine } from '../kit/text/printable.ts';
import { TransferProgress } from './progress.ts';

export type TransferOutcome = 'written' | 'stored' | 'present' | 'expired' | 'failed';

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
