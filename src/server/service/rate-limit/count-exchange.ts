import { aborted, withTimeout } from '../../../shared/async/abort.ts';
import { startTimer, type Timer } from '../../../shared/async/timer.ts';
import type { NewRequests, RateWindow, RequestTotal } from '../../store/rate-limits.ts';
import type { Bucket } from './buckets.ts';
import { isKeySubject } from './subject.ts';
import type { WindowClock } from './window-clock.ts';

/** What all servers have counted together. */
export interface SharedCounts {
  /** Adds what is new and returns the totals of all that were given. */
  exchange(window: RateWindow, given: readonly NewRequests[]): Promise<RequestTotal[]>;
  /** Lets everybody begin again. */
  restart(): Promise<void>;
  /** Called after a failure, and not again before there was a success. */
  onFailure(error: unknown): void;
}

/** Telling and asking take half the accuracy each: a count is known elsewhere after at most two of these. */
const INTERVAL_MS = 500;
const PAUSE_AFTER_FAILURE_MS = 5000;
/** A subject that has rested so long is not asked about any more, until it comes again. */
const RESTED_MS = 60_000;
/** Of one exchange. What is left over is first in the next. */
const MAX_SUBJECTS = 2000;
/** The rest of an exchange is left to whoever waits longest. */
const KEYS_FIRST = 1800;
/** Rather than let a request wait longer, it is judged by what is known here. */
const PATIENCE_MS = 250;
const CLOSING_MS = 1000;

/** Carries counts between the buckets of this server and the database, all subjects in one statement. */
export class CountExchange {
  readonly #counts: SharedCounts;
  readonly #clock: WindowClock;
  #window: RateWindow | undefined;
  /** In the order of their turn. */
  readonly #waiting = new Map<string, Bucket>();
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #mustRestart = false;
  #hasFailed = false;
  #isClosed = false;

  constructor(counts: SharedCounts, clock: WindowClock) {
    this.#counts = counts;
    this.#clock = clock;
  }

  /** Notes that a bucket has something to tell. */
  tell(window: RateWindow, bucket: Bucket): void {
    this.#enter(window);
    if (this.#isClosed || this.#waiting.get(bucket.subject) === bucket) return;
    this.#waiting.set(bucket.subject, bucket);
    this.#schedule();
  }

  /** Resolves once the totals of a bucket are in it, or it is not worth waiting longer. */
  async ask(window: RateWindow, bucket: Bucket, signal?: AbortSignal): Promise<void> {
    this.#enter(window);
    if (this.#isClosed || this.#hasFailed) return;
    this.#waiting.set(bucket.subject, bucket);
    const ends = withTimeout(signal, PATIENCE_MS);
    // The exchange under way may have begun without the bucket; the one after it has it.
    for (let turn = 0; turn < 2 && !bucket.isKnown && !this.#hasFailed && !ends.aborted; turn += 1) {
      await Promise.race([this.#run(), aborted(ends)]);
    }
  }

  /** Lets every count of the database begin again, with the next exchange. */
  restart(): void {
    this.#mustRestart = true;
    this.#window = undefined;
    this.#waiting.clear();
    this.#schedule();
  }

  /** Tells what is left, unless the database takes too long. */
  async close(): Promise<void> {
    const told = (async () => {
      await this.#running;
      await this.#run();
    })();
    await Promise.race([told, aborted(withTimeout(undefined, CLOSING_MS))]);
    this.#isClosed = true;
    this.#timer?.clear();
  }

  /** What was not told of a window that is over does not matter any more. */
  #enter(window: RateWindow): void {
    if (this.#window?.endsAt === window.endsAt && this.#window.seconds === window.seconds) return;
    this.#window = window;
    this.#waiting.clear();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    const again = () => {
      this.#timer = undefined;
      void this.#run();
    };
    const pauseMs = this.#hasFailed ? PAUSE_AFTER_FAILURE_MS : INTERVAL_MS;
    this.#timer = startTimer(pauseMs, again, { keepsAlive: false });
  }

  /** One exchange at a time: who comes meanwhile gets the one under way. Never rejects. */
  #run(): Promise<void> {
    this.#running ??= this.#exchange()
      .then(
        () => {
          this.#hasFailed = false;
        },
        (error: unknown) => {
          if (!this.#hasFailed) this.#counts.onFailure(error);
          this.#hasFailed = true;
        },
      )
      .finally(() => {
        this.#running = undefined;
        if (this.#waiting.size > 0 || this.#mustRestart) this.#schedule();
      });
    return this.#running;
  }

  async #exchange(): Promise<void> {
    if (this.#mustRestart) {
      await this.#counts.restart();
      this.#mustRestart = false;
    }
    const window = this.#window;
    const batch = this.#nextBatch();
    if (window === undefined || batch.length === 0) return;
    for (const bucket of batch) {
      bucket.sending = bucket.pending;
      bucket.pending = 0;
    }
    try {
      const sent = this.#clock.local();
      const given = batch.map(({ subject, sending }) => ({ subject, requests: sending }));
      const totals = await this.#counts.exchange(window, given);
      const received = this.#clock.local();
      this.#settle(batch, totals);
      if (totals[0] !== undefined) this.#clock.adjust(totals[0].clock, sent, received);
    } catch (error) {
      for (const bucket of batch) {
        bucket.pending += bucket.sending;
        bucket.sending = 0;
        this.#wait(bucket, window);
      }
      throw error;
    }
    for (const bucket of batch) this.#wait(bucket, window);
  }

  /** Keys go first: strangers from many addresses must not make the counts of those who may call late. */
  #nextBatch(): Bucket[] {
    const keys = this.#take(KEYS_FIRST, ({ subject }) => isKeySubject(subject));
    return [...keys, ...this.#take(MAX_SUBJECTS - keys.length, () => true)];
  }

  #take(atMost: number, isWanted: (bucket: Bucket) => boolean): Bucket[] {
    const taken: Bucket[] = [];
    for (const bucket of this.#waiting.values()) {
      if (taken.length === atMost) break;
      if (!isWanted(bucket)) continue;
      this.#waiting.delete(bucket.subject);
      taken.push(bucket);
    }
    return taken;
  }

  #settle(batch: readonly Bucket[], totals: readonly RequestTotal[]): void {
    const bySubject = new Map(totals.map((total) => [total.subject, total.requests]));
    for (const bucket of batch) {
      bucket.shared = bySubject.get(bucket.subject) ?? bucket.shared + bucket.sending;
      bucket.sending = 0;
      bucket.isKnown = true;
    }
  }

  /** Puts a bucket behind the others: it is asked about as long as it may come again. */
  #wait(bucket: Bucket, window: RateWindow): void {
    if (this.#window !== window || this.#isClosed || this.#waiting.has(bucket.subject)) return;
    if (bucket.pending > 0 || this.#clock.local() - bucket.usedAt < RESTED_MS) {
      this.#waiting.set(bucket.subject, bucket);
      return;
    }
    bucket.isKnown = false;
  }
}
