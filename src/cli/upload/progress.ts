import { type Pause, pauseText } from '../kit/bulk/gate.ts';
import { timeLeft } from '../kit/output/progress.ts';
import { bytesText, counted } from '../kit/text/figures.ts';
import { oneLine } from '../kit/text/printable.ts';
import type { UploadEvent } from './events.ts';
import type { Tally } from './tally.ts';

/** Where an upload stands, in words for a screen. Every line is one row. */
export interface Picture {
  title: string;
  /** From 0 to 1. */
  share: number;
  figures: string;
  /** The files under way, oldest first: what happens to each, and its path. */
  files: readonly { state: string; path: string }[];
  /** How many more are under way than are shown. */
  more: number;
  pause: string | undefined;
}

const MOST_FILES = 4;
/** A file costs about as much time as so many of its bytes, so that many empty files show progress too. */
const BYTES_OF_A_FILE = 4096;

/** Follows the events of an upload for a screen. Times are epoch milliseconds. */
export class UploadProgress {
  readonly #tally: Tally;
  readonly #space: string;
  readonly #now: () => number;
  readonly #began: number;
  readonly #sending = new Map<string, number>();
  readonly #processing = new Map<string, string>();
  #pause: (Pause & { began: number }) | undefined;
  #pausedMs = 0;
  #waiting: { began: number } | undefined;

  constructor(tally: Tally, { space, now }: { space: string; now: () => number }) {
    this.#tally = tally;
    this.#space = space;
    this.#now = now;
    this.#began = now();
  }

  add(event: UploadEvent): void {
    switch (event.kind) {
      case 'started':
        this.#sending.set(event.path, event.bytes);
        return;
      case 'outcome':
        this.#sending.delete(event.outcome.path);
        return;
      case 'waiting':
        this.#waiting = { began: this.#now() };
        return;
      case 'processing':
        this.#processing.set(event.memory.memoryId, event.path);
        return;
      case 'processed':
        this.#processing.delete(event.memory.memoryId);
        return;
      case 'vanished':
        this.#processing.delete(event.memoryId);
        return;
      case 'paused':
        this.#pause = { ...event.pause, began: this.#now() };
        return;
      case 'resumed':
        this.#pausedMs += this.#pause === undefined ? 0 : this.#now() - this.#pause.began;
        this.#pause = undefined;
        return;
      default:
    }
  }

  get picture(): Picture {
    const isProcessing = this.#tally.awaited !== undefined;
    const rows = isProcessing
      ? [...this.#processing.values()].map((path) => ({ state: 'processing', path: oneLine(path) }))
      : [...this.#sending].map(([path, bytes]) => ({ state: `sending ${bytesText(bytes)}`, path: oneLine(path) }));
    const left = this.#pause === undefined ? 0 : this.#pause.began + this.#pause.ms - this.#now();
    return {
      title: `${isProcessing ? 'Processing in' : 'Uploading to'} ${oneLine(this.#space)}`,
      ...(isProcessing ? this.#processingFigures() : this.#sendingFigures()),
      files: rows.slice(0, MOST_FILES),
      more: this.#underWay(rows.length) - Math.min(rows.length, MOST_FILES),
      pause: this.#pause === undefined ? undefined : pauseText({ ...this.#pause, ms: left }),
    };
  }

  /** What is waited for is all under way, though the server has begun with some only. */
  #underWay(shown: number): number {
    const { awaited, processed } = this.#tally;
    return awaited === undefined ? shown : awaited - processed;
  }

  /** ` (9.8 MB in 12.3 s)`, for the end; without the time of processing. */
  get pace(): string {
    const ms = (this.#waiting?.began ?? this.#now()) - this.#began;
    return ` (${bytesText(this.#tally.sentBytes)} in ${(ms / 1000).toFixed(1)} s)`;
  }

  #processingFigures(): Pick<Picture, 'share' | 'figures'> {
    const { awaited = 0, processed, failures } = this.#tally;
    const share = ratio(processed, awaited);
    const ms = this.#waiting === undefined ? 0 : this.#now() - this.#waiting.began;
    const parts = [`${processed} of ${awaited} processed`];
    if (failures.length > 0) parts.push(`${failures.length} failed`);
    return { share, figures: [...parts, timeLeft(share, ms) ?? []].flat().join('  ') };
  }

  #sendingFigures(): Pick<Picture, 'share' | 'figures'> {
    const { files, bytes, done, doneBytes, sentBytes, failures } = this.#tally;
    const share = ratio(doneBytes + done * BYTES_OF_A_FILE, bytes + files * BYTES_OF_A_FILE);
    const pausing = this.#pause === undefined ? 0 : this.#now() - this.#pause.began;
    const activeMs = this.#now() - this.#began - this.#pausedMs - pausing;
    const parts = [`${done}/${counted(files, 'file')}`, `${bytesText(doneBytes)} of ${bytesText(bytes)}`];
    if (sentBytes > 0 && activeMs > 0) parts.push(`${bytesText((sentBytes * 1000) / activeMs)}/s`);
    if (failures.length > 0) parts.push(`${failures.length} failed`);
    else parts.push(...[timeLeft(share, activeMs) ?? []].flat());
    return { share, figures: parts.join('  ') };
  }
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 1 : Math.min(1, part / whole);
}
