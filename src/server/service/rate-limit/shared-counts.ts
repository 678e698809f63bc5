import type { Logger } from '../../log.ts';
import type { Db } from '../../store/db.ts';
import { exchangeRequests, forgetRequests, sweepRequests } from '../../store/rate-limits.ts';
import type { SharedCounts } from './count-exchange.ts';

/** Somebody may wait for the answer for a fraction of this; a slower one is of no use. */
const TIMEOUT_MS = 2000;
const SWEEP_INTERVAL_MS = 60_000;
const SWEEP_TIMEOUT_MS = 10_000;
const SWEEP_LIMIT = 10_000;
/** Windows that ended so long ago are over by everybody's clock. */
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
