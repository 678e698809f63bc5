import { setMaxListeners } from 'node:events';
import { openScope } from '../../../shared/async/deadline.ts';
import type { Pool } from '../../store/db.ts';
import { type Lease, renewLeases } from '../../store/jobs.ts';
import { AttemptInterrupted, LeaseLost } from './failed-attempt.ts';

/** A database call that takes longer than this part of a lease is slow: renewals may come too late. */
const SLOW_PART = 1 / 6;
/** For a short lease the part is larger, so that the ordinary time of a call is not taken for slow. */
const SLOW_MS = 2000;
const SLOW_PART_OF_SHORT = 1 / 2;
/** After slow calls during this many leases, slowness counts as the database's ordinary speed. */
const PATIENCE_LEASES = 10;

/** Records, for all loops of one process, when the database was last slow or unavailable. */
export class DatabaseHealth {
  readonly #leaseMs: number;
  readonly #slowMs: number;
  readonly #recoveryMs: number;
  #lastTroubleAt = Number.NEGATIVE_INFINITY;
  /** Start of the current series of slow calls, without a failed call or a recovery in between. */
  #slowSince = Number.NEGATIVE_INFINITY;

  /** `pauseMs` is the longest time without a database call after a failure. */
  constructor(leaseMs: number, pauseMs: number) {
    this.#leaseMs = leaseMs;
    this.#slowMs = Math.max(leaseMs * SLOW_PART, Math.min(SLOW_MS, leaseMs * SLOW_PART_OF_SHORT));
    this.#recoveryMs = leaseMs / 2 + pauseMs;
  }

  /** Runs a claim or a renewal and records its time and outcome. */
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
      if (!isDone || (isSlow && this.#hasRecovered(now))) this.#slowSince = now;
      if (!isDone || isSlow) this.#lastTroubleAt = now;
    }
  }

  /**
   * Whether an expired lease shows that its worker was lost. While the database is slow or unavailable, leases of live
   * workers expire too. Those are renewed within a third of the lease after the database has recovered, and it may have
   * recovered only a pause after the last trouble recorded here; until then the two cases cannot be told apart. A database
   * that stays slow but does respond must not keep lost jobs forever, hence PATIENCE_LEASES.
   */
  get showsLostWorkers(): boolean {
    const now = performance.now();
    return this.#hasRecovered(now) || now - this.#slowSince >= this.#leaseMs * PATIENCE_LEASES;
  }

  #hasRecovered(now: number): boolean {
    return now - this.#lastTroubleAt >= this.#recoveryMs;
  }
}

export interface KeptLease {
  /** Aborts with LeaseLost when every job was taken over or canceled, with AttemptInterrupted when the server stops. */
  readonly signal: AbortSignal;
  /**
   * Whether a renewal failed, was not answered before the next one, or met a job that was locked, so an expired lease is the
   * database's fault.
   */
  wasRenewalLate(): boolean;
  release(): void;
}

interface LeaseDeps {
  pool: Pool;
  database: DatabaseHealth;
  leaseMs: number;
}

/**
 * Renews the leases of jobs of one claim every third of their duration until `release`. A failed renewal is retried at the
 * next interval.
 */
export function keepLeases(
  { pool, database, leaseMs }: LeaseDeps,
  leases: readonly Lease[],
  stop: AbortSignal,
): KeptLease {
  const { controller, signal, close } = openScope({ signal: stop, abortReason: () => new AttemptInterrupted() });
  // Every call of an embedder adds a listener.
  setMaxListeners(0, signal);
  let unanswered = 0;
  let isRenewalLate = false;
  const renew = async () => {
    if (unanswered > 0) isRenewalLate = true;
    unanswered += 1;
    try {
      const options = { timeoutMs: leaseMs };
      const { held, renewed } = await database.watch(() => renewLeases(pool, leases, leaseMs, options));
      if (held === 0) controller.abort(new LeaseLost());
      else if (renewed < held) isRenewalLate = true;
    } catch {
      // The database is unavailable. Every write checks the lease, so the work can continue safely.
      isRenewalLate = true;
    } finally {
      unanswered -= 1;
    }
  };
  const timer = setInterval(() => void renew(), leaseMs / 3);
  return {
    signal,
    wasRenewalLate: () => isRenewalLate,
    release() {
      clearInterval(timer);
      close();
    },
  };
}
