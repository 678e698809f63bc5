import { setMaxListeners } from 'node:events';
import type { Pool } from '../../store/db.ts';
import { type Lease, renewLease } from '../../store/jobs.ts';
import { Interrupted, LeaseLost } from './failure.ts';

/** A call of the database that takes longer than this part of a lease may cost somebody a renewal. */
const SLOW_PART = 1 / 6;
/** Of a short lease it is a larger part: a database that always takes its time is not in trouble. */
const SLOW_MS = 2000;
const SLOW_PART_OF_SHORT = 1 / 2;
/** So many leases of a slow database are taken for its ordinary speed. */
const PATIENCE_LEASES = 10;

/** Remembers, for all loops of one process, when the database last was slow or away. */
export class DatabaseWatch {
  readonly #leaseMs: number;
  readonly #slowMs: number;
  readonly #calmMs: number;
  #troubledAt = Number.NEGATIVE_INFINITY;
  /** The first of the slow calls up to then, with none that failed and no calm in between. */
  #slowSince = Number.NEGATIVE_INFINITY;

  /** `pauseMs` is how long nobody may call the database after a failure. */
  constructor(leaseMs: number, pauseMs: number) {
    this.#leaseMs = leaseMs;
    this.#slowMs = Math.max(leaseMs * SLOW_PART, Math.min(SLOW_MS, leaseMs * SLOW_PART_OF_SHORT));
    this.#calmMs = leaseMs / 2 + pauseMs;
  }

  /** Makes a call that belongs to a lease. */
  async watch<T>(call: () => Promise<T>): Promise<T> {
    const began = performance.now();
    let isDone = false;
    try {
      const result = await call();
      isDone = true;
      return result;
    } finally {
      const now = performance.now();
      const isSlow = now - began > this.#slowMs;
      if (!isDone || (isSlow && this.#isCalm(now))) this.#slowSince = now;
      if (!isDone || isSlow) this.#troubledAt = now;
    }
  }

  /**
   * Whether a lease that ran out is that of a worker that was lost. While the database is slow it runs out though its
   * worker lives. That one renews it within a third of its time once all is well again, and until then nobody can tell the
   * two apart; the end of the trouble may have come a pause after the last that was seen of it. A database that goes on
   * being slow and answers all the same must not keep lost jobs for ever.
   */
  get tellsLost(): boolean {
    const now = performance.now();
    return this.#isCalm(now) || now - this.#slowSince >= this.#leaseMs * PATIENCE_LEASES;
  }

  #isCalm(now: number): boolean {
    return now - this.#troubledAt >= this.#calmMs;
  }
}

export interface KeptLease {
  /** Aborts with LeaseLost when the job was taken over or canceled, with Interrupted when the server stops. */
  readonly signal: AbortSignal;
  /** Whether a renewal failed or was not answered before the next one: that the lease ran out is not the worker's doing. */
  wasHindered(): boolean;
  release(): void;
}

export interface LeaseDeps {
  pool: Pool;
  database: DatabaseWatch;
  leaseMs: number;
}

/** Renews the lease every third of its time until `release`. A renewal that fails is tried again the next time. */
export function keepLease({ pool, database, leaseMs }: LeaseDeps, lease: Lease, stop: AbortSignal): KeptLease {
  const controller = new AbortController();
  // Every call of every embedder listens.
  setMaxListeners(0, controller.signal);
  const onStop = () => controller.abort(new Interrupted());
  let unanswered = 0;
  let isHindered = false;
  const renew = async () => {
    if (unanswered > 0) isHindered = true;
    unanswered += 1;
    try {
      const options = { timeoutMs: leaseMs };
      const isHeld = await database.watch(() => renewLease(pool, lease, leaseMs, options));
      if (!isHeld) controller.abort(new LeaseLost());
    } catch {
      // The database is away. Every write checks the lease, so nothing is lost by going on.
      isHindered = true;
    } finally {
      unanswered -= 1;
    }
  };
  const timer = setInterval(() => void renew(), leaseMs / 3);
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  return {
    signal: controller.signal,
    wasHindered: () => isHindered,
    release() {
      clearInterval(timer);
      stop.removeEventListener('abort', onStop);
    },
  };
}
