import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { Absences } from './absences.ts';
import type { IngestDeps } from './deps.ts';
import { DatabaseWatch } from './lease.ts';
import { ProcessingEnds } from './processing-ends.ts';
import { startPromotion } from './promotion.ts';
import { startSweeper } from './sweeper.ts';
import { runLoop, TROUBLE_MS, Turns, WorkSignal } from './worker-loop.ts';

export interface IngestWorkers {
  /** Begins to claim jobs and to tidy up. */
  start(): void;
  /** A job may be due: look at once instead of within a second. */
  wake(): void;
  /** To wait for the end of processing. */
  readonly ends: ProcessingEnds;
  /**
   * Takes no more jobs and gives running ones back, uncounted, for another server to take. Safe to call twice. For
   * letting them finish first, drain the lifecycle and wait until it is QUIESCED.
   */
  stop(): Promise<void>;
}

/** The background workers of one server: `workerParallelism` loops, the sweeper and the keeper of vector indexes. */
export function createIngestWorkers(deps: IngestDeps): IngestWorkers {
  const work = new WorkSignal();
  const ends = new ProcessingEnds(deps.db, deps.lifecycle);
  const stopping = new AbortController();
  // Every running job listens; that many listeners are no leak.
  setMaxListeners(0, stopping.signal);
  const running: Promise<void>[] = [];
  const unlisten = deps.lifecycle.onChange(() => work.wakeAll());

  return {
    ends,
    start() {
      if (running.length > 0 || stopping.signal.aborted) return;
      const database = new DatabaseWatch(deps.settings.jobLeaseS * 1000, TROUBLE_MS);
      const shared = { turns: new Turns(), absences: new Absences(), database };
      const loopDeps = { ...deps, ...shared, work, ends };
      const process = `${hostname()}-${globalThis.process.pid}`;
      for (let n = 1; n <= deps.settings.workerParallelism; n += 1) {
        running.push(runLoop(loopDeps, `${process}/${n}`, stopping.signal));
      }
      running.push(startSweeper(deps, stopping.signal), startPromotion(deps, stopping.signal));
    },
    wake: () => work.wake(),
    async stop() {
      stopping.abort();
      work.wakeAll();
      unlisten();
      await Promise.all(running);
    },
  };
}
