import { setMaxListeners } from 'node:events';
import type { Pool } from '../../store/db.ts';
import { type Lease, renewLease } from '../../store/jobs.ts';
import { Interrupted, LeaseLost } from './failure.ts';

/** A call of the database that takes longer than this part of a lease may cost somebody a renewal. */
const SLOW_PART = 1 / 6;

/** Remembers, for all loops of one process, when the database last was slow or away. */
export class DatabaseWatch {
  #troubledAt = Number.NEGATIVE_INFINITY;

  /** Makes a call that belongs to a lease of `leaseMs`. */
  async watch<T>(leaseMs: number, call: () => Promise<T>): Promise<T> {
    const began = performance.now();
    let isDone = false;
    try {
      const result = await call();
      isDone = true;
      return result;
    } finally {
      const now = performance.now();
      if (!isDone || now - began > leaseMs * SLOW_PART) this.#troubledAt = now;
    }
  }

  /** Whether all was well for so long. */
  isCalm(ms: number): boolean {
    return performance.now() - this.#troubledAt >= ms;
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
      const isHeld = await database.watch(leaseMs, () => renewLease(pool, lease, leaseMs, options));
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
