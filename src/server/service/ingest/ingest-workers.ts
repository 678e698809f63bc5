import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { Wakeup } from '../../../shared/async/wakeup.ts';
import { type Claim, type ClaimedJob, claimJob } from '../../store/jobs.ts';
import { CompletionNotifier } from './completion-notifier.ts';
import type { IngestDeps, JobDeps } from './deps.ts';
import { EmbedderCircuits } from './embedder-circuits.ts';
import { DatabaseHealth } from './lease.ts';
import { startPromotion } from './promotion-task.ts';
import { runJob } from './run-job.ts';
import { startSweeper } from './sweeper.ts';

/** Jobs queued by other servers, retries and expired leases are found by polling. */
const POLL_MS = 1000;
/** Pause after a failure. */
const RETRY_MS = 2000;

/** Lets idle loops sleep until a job may be due. */
class WorkSignal {
  #generation = 0;
  readonly #sleeping = new Set<Wakeup>();

  /** Wakes one loop; a loop that finds a job polls again by itself. */
  wake(): void {
    this.#generation += 1;
    for (const first of this.#sleeping) {
      // Awake from now on: the next call wakes another one.
      this.#sleeping.delete(first);
      first.notify();
      return;
    }
  }

  wakeAll(): void {
    this.#generation += 1;
    for (const sleeper of this.#sleeping) sleeper.notify();
  }

  get generation(): number {
    return this.#generation;
  }

  /** Sleeps for at most `ms`, or not at all if `wake` was called since `generation`. */
  async sleep(ms: number, generation: number): Promise<void> {
    if (generation !== this.#generation) return;
    const sleeper = new Wakeup();
    this.#sleeping.add(sleeper);
    await sleeper.wait({ timeoutMs: ms });
    this.#sleeping.delete(sleeper);
  }
}

/**
 * Serializes the claims of all loops of one process, so that each claim knows the owner of the last job. Every server does
 * its own round robin: a waiting owner is reached by each of them after at most one job of every other owner.
 */
class ClaimQueue {
  #after: string | undefined;
  #last: Promise<unknown> = Promise.resolve();
  readonly #running = new Set<number>();

  /** Runs `claim` with the owner of the last claimed job, and the jobs that are not `done`. */
  next(claim: (turn: Pick<Claim, 'after' | 'running'>) => Promise<ClaimedJob | undefined>) {
    const claimed = this.#last.then(async () => {
      const job = await claim({ after: this.#after, running: [...this.#running] });
      if (job === undefined) return undefined;
      this.#after = job.ownerId;
      this.#running.add(job.jobId);
      return job;
    });
    this.#last = claimed.catch(() => undefined);
    return claimed;
  }

  done({ jobId }: ClaimedJob): void {
    this.#running.delete(jobId);
  }
}

interface LoopDeps extends JobDeps {
  work: WorkSignal;
  claims: ClaimQueue;
  completions: CompletionNotifier;
}

/** Claims and runs jobs, one at a time, until the server drains or `stop` aborts. */
async function runLoop(deps: LoopDeps, workerId: string, stop: AbortSignal): Promise<void> {
  while (!stop.aborted && !deps.lifecycle.draining) {
    const { generation } = deps.work;
    const pause = await runNext(deps, workerId, stop);
    if (pause > 0) await deps.work.sleep(pause, generation);
  }
}

/** Runs the next job, if one is due. Returns the time until the next poll, in milliseconds. */
async function runNext(deps: LoopDeps, workerId: string, stop: AbortSignal): Promise<number> {
  // Registered before the claim: otherwise a drain between the two would consider the server idle.
  const end = deps.lifecycle.begin();
  try {
    const leaseMs = deps.settings.jobLeaseS * 1000;
    const claim = { workerId, leaseToken: randomUUID(), leaseMs };
    // Without the signal: an aborted claim may have succeeded, and its job would stay leased without a worker.
    const job = await deps.claims.next((turn) => {
      const takesLost = deps.database.showsLostWorkers;
      return deps.database.watch(() => claimJob(deps.db.background, { ...claim, ...turn, takesLost }));
    });
    if (job === undefined) return POLL_MS;
    await run(deps, job, stop).finally(() => deps.claims.done(job));
    return 0;
  } catch (error) {
    if (!stop.aborted) deps.log.warn({ err: error }, 'background worker failed and will retry');
    return RETRY_MS;
  } finally {
    end();
  }
}

async function run(deps: LoopDeps, job: ClaimedJob, stop: AbortSignal): Promise<void> {
  const started = performance.now();
  const result = await runJob(deps, job, stop);
  const seconds = (performance.now() - started) / 1000;
  deps.observe?.attemptEnded?.({ type: job.jobType, result, seconds });
  if (result === 'succeeded' || result === 'failed') deps.completions.notify(job.memoryId);
}

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

/** The background workers of one server: `workerParallelism` loops, the sweeper and the builder of vector indexes. */
export function createIngestWorkers(deps: IngestDeps): IngestWorkers {
  const work = new WorkSignal();
  const completions = new CompletionNotifier(deps.db, deps.lifecycle);
  const stopping = new AbortController();
  // Every running job adds a listener, so Node's warning about many listeners is switched off.
  setMaxListeners(0, stopping.signal);
  const running: Promise<void>[] = [];
  const unlisten = deps.lifecycle.onChange(() => work.wakeAll());

  return {
    completions,
    start() {
      if (running.length > 0 || stopping.signal.aborted) return;
      const database = new DatabaseHealth(deps.settings.jobLeaseS * 1000, RETRY_MS);
      const shared = { claims: new ClaimQueue(), circuits: new EmbedderCircuits(), database };
      const loopDeps = { ...deps, ...shared, work, completions };
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
