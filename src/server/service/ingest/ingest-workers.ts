import { setMaxListeners } from 'node:events';
import { Wakeup } from '../../../shared/async/wakeup.ts';
import { CompletionNotifier } from './completion-notifier.ts';
import type { IngestDeps } from './deps.ts';
import { dispatchJobs, RETRY_MS } from './dispatcher.ts';
import { EmbedderCircuits } from './embedder-circuits.ts';
import { DatabaseHealth } from './lease.ts';
import { startPromotion } from './promotion-task.ts';
import { startSweeper } from './sweeper.ts';

export interface IngestWorkers {
  /** Starts to claim jobs, and starts the sweeper and the index builder. */
  start(): void;
  /** To be called when a job was queued: it is claimed at once instead of at the next poll. */
  wake(): void;
  /** To wait for the end of the processing of memories. */
  readonly completions: CompletionNotifier;
  /**
   * Claims no more jobs and releases running ones, without counting their attempts, for another server to claim. May be
   * called twice. To let running jobs finish first, drain the lifecycle and wait until it is QUIESCED.
   */
  stop(): Promise<void>;
}

/** The background workers of one server: the dispatcher of jobs, the sweeper and the builder of vector indexes. */
export function createIngestWorkers(deps: IngestDeps): IngestWorkers {
  const work = new Wakeup();
  const completions = new CompletionNotifier(deps.db, deps.lifecycle);
  const stopping = new AbortController();
  // Every running job adds a listener, so Node's warning about many listeners is switched off.
  setMaxListeners(0, stopping.signal);
  const running: Promise<void>[] = [];
  const unlisten = deps.lifecycle.onChange(() => work.notify());

  return {
    completions,
    start() {
      if (running.length > 0 || stopping.signal.aborted) return;
      const database = new DatabaseHealth(deps.settings.jobLeaseS * 1000, RETRY_MS);
      const jobDeps = { ...deps, circuits: new EmbedderCircuits(), database, work, completions };
      running.push(
        dispatchJobs(jobDeps, stopping.signal),
        startSweeper(deps, stopping.signal),
        startPromotion(deps, stopping.signal),
      );
    },
    wake: () => work.notify(),
    async stop() {
      stopping.abort();
      work.notify();
      unlisten();
      await Promise.all(running);
    },
  };
}
