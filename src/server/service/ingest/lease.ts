import { setMaxListeners } from 'node:events';
import type { Pool } from '../../store/db.ts';
import { type Lease, renewLease } from '../../store/jobs.ts';
import { Interrupted, LeaseLost } from './failure.ts';

export interface KeptLease {
  /** Aborts with LeaseLost when the job was taken over or canceled, with Interrupted when the server stops. */
  readonly signal: AbortSignal;
  release(): void;
}

/** Renews the lease every third of its time until `release`. A renewal that fails is tried again the next time. */
export function keepLease(pool: Pool, lease: Lease, leaseMs: number, stop: AbortSignal): KeptLease {
  const controller = new AbortController();
  // Every call of every embedder listens.
  setMaxListeners(0, controller.signal);
  const onStop = () => controller.abort(new Interrupted());
  const renew = async () => {
    try {
      const isHeld = await renewLease(pool, lease, leaseMs, { timeoutMs: leaseMs });
      if (!isHeld) controller.abort(new LeaseLost());
    } catch {
      // The database is away. Every write checks the lease, so nothing is lost by going on.
    }
  };
  const timer = setInterval(() => void renew(), leaseMs / 3);
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  return {
    signal: controller.signal,
    release() {
      clearInterval(timer);
      stop.removeEventListener('abort', onStop);
    },
  };
}
