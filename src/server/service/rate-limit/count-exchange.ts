import { aborted } from '../../../shared/async/abort.ts';
import { withTimeout } from '../../../shared/async/deadline.ts';
import { startTimer, type Timer } from '../../../shared/async/timer.ts';
import type { Logger } from '../../log.ts';
import type { Db } from '../../store/db.ts';
import {
  exchangeRequests,
  forgetRequests,
  type NewRequests,
  type RateWindow,
  type RequestTotal,
  sweepRequests,
} from '../../store/rate-limits.ts';
import { type Bucket, isKeySubject } from './buckets.ts';
import type { WindowClock } from './window-clock.ts';

/** What all servers have counted together. */
export interface SharedCounts {
  /** Adds what is new and returns the totals of all that were given. */
  exchange(window: RateWindow, given: readonly NewRequests[]): Promise<RequestTotal[]>;
  /** Restarts the counts of all servers. */
  restart(): Promise<void>;
  /** Called after a failure, and not again before there was a success. */
  onFailure(error: unknown): void;
}

/** Writing and reading take half of the accuracy each: another server knows a count after at most two intervals. */
const INTERVAL_MS = 500;
const PAUSE_AFTER_FAILURE_MS = 5000;
/** A subject without requests for so long is not exchanged any more, until its next request. */
const RESTED_MS = 60_000;
/** The most subjects of one exchange. The others are first in the next one. */
const MAX_SUBJECTS = 2000;
/** The rest of an exchange is for the subjects that wait longest. */
const KEYS_FIRST = 1800;
/** A request waits no longer for the database; it is then judged by the counts of this server. */
const PATIENCE_MS = 250;
const CLOSING_MS = 1000;

/** Carries counts between the buckets of this server and the database, all subjects in one statement. */
export class CountExchange {
  readonly #counts: SharedCounts;
  readonly #clock: WindowClock;
  #window: RateWindow | undefined;
  /** In the order of the queue. */
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

  /** Queues a bucket with new requests for the next exchange. */
  tell(window: RateWindow, bucket: Bucket): void {
    this.#enter(window);
    if (this.#isClosed || this.#waiting.get(bucket.subject) === bucket) return;
    this.#waiting.set(bucket.subject, bucket);
    this.#schedule();
  }

  /** Resolves once the bucket has its totals, or at the time-out. */
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

  /** Restarts every count in the database, with the next exchange. */
  restart(): void {
    this.#mustRestart = true;
    this.#window = undefined;
    this.#waiting.clear();
    this.#schedule();
  }

  /** Writes the remaining counts, unless the database takes too long. */
  async close(): Promise<void> {
    const told = (async () => {
      await this.#running;
      await this.#run();
    })();
    await Promise.race([told, aborted(withTimeout(undefined, CLOSING_MS))]);
    this.#isClosed = true;
    this.#timer?.clear();
  }

  /** Drops the counts of a window that has ended. */
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

  /** Runs one exchange at a time: a call during an exchange gets the promise of that one. Never rejects. */
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

  /** Keys go first: requests without a key from many addresses must not delay the counts of keys. */
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

  /** Queues a bucket behind the others, as long as it has had requests lately. */
  #wait(bucket: Bucket, window: RateWindow): void {
    if (this.#window !== window || this.#isClosed || this.#waiting.has(bucket.subject)) return;
    if (bucket.pending > 0 || this.#clock.local() - bucket.usedAt < RESTED_MS) {
      this.#waiting.set(bucket.subject, bucket);
      return;
    }
    bucket.isKnown = false;
  }
}

/** Requests wait for a fraction of this; a slower answer is of no use. */
const TIMEOUT_MS = 2000;
const SWEEP_INTERVAL_MS = 60_000;
const SWEEP_TIMEOUT_MS = 10_000;
const SWEEP_LIMIT = 10_000;
/** Windows that ended so long ago are over by the clocks of all servers. */
const ENDED_S = 60;

/** The counts in the database. Those of windows that are over are deleted now and then, beside the exchange. */
export function createSharedCounts({ db, log }: { db: Db; log: Logger }): SharedCounts {
  let sweptAt = 0;
  const sweep = (clock: number) => {
    if (clock - sweptAt < SWEEP_INTERVAL_MS) return;
    sweptAt = clock;
    const endedBefore = Math.floor(clock / 1000) - ENDED_S;
    sweepRequests(db.background, { endedBefore, limit: SWEEP_LIMIT }, { timeoutMs: SWEEP_TIMEOUT_MS }).catch(
      (err: unknown) => log.debug({ err }, 'old rate-limit counts could not be deleted'),
    );
  };
  return {
    async exchange(window, given) {
      const totals = await exchangeRequests(db.main, window, given, { timeoutMs: TIMEOUT_MS });
      if (totals[0] !== undefined) sweep(totals[0].clock);
      return totals;
    },
    restart: () => forgetRequests(db.main, { timeoutMs: TIMEOUT_MS }),
    onFailure: (err) => log.warn({ err }, 'rate limits are counted on this server alone until the database answers'),
  };
}
