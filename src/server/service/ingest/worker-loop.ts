import { randomUUID } from 'node:crypto';
import { sleep } from '../../../shared/async/timer.ts';
import { type Claim, type ClaimedJob, claimJob } from '../../store/jobs.ts';
import type { JobDeps } from './deps.ts';
import type { ProcessingEnds } from './processing-ends.ts';
import { runJob } from './run-job.ts';

/** Jobs of other servers, retries and lost leases are seen by looking. */
const POLL_MS = 1000;
/** After a failure to reach the database. */
export const TROUBLE_MS = 2000;

/** Lets loops that found nothing to do sleep until something may have come. */
export class WorkSignal {
  #generation = 0;
  readonly #sleeping = new Set<() => void>();

  /** Something may have come. Wakes one sleeper: a loop that finds a job looks again by itself. */
  wake(): void {
    this.#generation += 1;
    const [first] = this.#sleeping;
    first?.();
  }

  wakeAll(): void {
    this.#generation += 1;
    for (const wake of this.#sleeping) wake();
  }

  get generation(): number {
    return this.#generation;
  }

  /** Sleeps for at most `ms`, not at all when there was a call of `wake` since `generation`. */
  async sleep(ms: number, generation: number): Promise<void> {
    if (generation !== this.#generation) return;
    const woken = new AbortController();
    const wake = () => {
      this.#sleeping.delete(wake);
      woken.abort();
    };
    this.#sleeping.add(wake);
    await sleep(ms, woken.signal).catch(() => undefined);
    this.#sleeping.delete(wake);
  }
}

/**
 * Claims for the loops of one process, one after the other, so that each knows whose job was taken last. Several servers
 * go round each by itself: whoever waits is reached by every one of them after at most one job of each other owner.
 */
export class Turns {
  #after: string | undefined;
  #last: Promise<unknown> = Promise.resolve();
  readonly #running = new Set<number>();

  /** Runs `claim` with the owner of the job that was claimed before, and the jobs that are not `done`. */
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

export interface LoopDeps extends JobDeps {
  work: WorkSignal;
  turns: Turns;
  ends: ProcessingEnds;
}

/** Claims and runs one job after the other, until the server drains or `stop` aborts. */
export async function runLoop(deps: LoopDeps, workerId: string, stop: AbortSignal): Promise<void> {
  while (!stop.aborted && !deps.lifecycle.draining) {
    const { generation } = deps.work;
    const pause = await runNext(deps, workerId, stop);
    if (pause > 0) await deps.work.sleep(pause, generation);
  }
}

/** Runs the next job, if there is one. Returns how long to wait before looking again, in milliseconds. */
async function runNext(deps: LoopDeps, workerId: string, stop: AbortSignal): Promise<number> {
  // Counted before the claim: a drain that comes between the two must not take the server for idle.
  const end = deps.lifecycle.begin();
  try {
    const leaseMs = deps.settings.jobLeaseS * 1000;
    const claim = { workerId, leaseToken: randomUUID(), leaseMs };
    // Without the signal: a claim that was sent and not awaited would leave a job leased to nobody.
    const job = await deps.turns.next((turn) => {
      const takesLost = deps.database.tellsLost;
      return deps.database.watch(() => claimJob(deps.db.background, { ...claim, ...turn, takesLost }));
    });
    if (job === undefined) return POLL_MS;
    await run(deps, job, stop).finally(() => deps.turns.done(job));
    return 0;
  } catch (error) {
    if (!stop.aborted) deps.log.warn({ err: error }, 'a background worker failed and tries again');
    return TROUBLE_MS;
  } finally {
    end();
  }
}

async function run(deps: LoopDeps, job: ClaimedJob, stop: AbortSignal): Promise<void> {
  const started = performance.now();
  const result = await runJob(deps, job, stop);
  const seconds = (performance.now() - started) / 1000;
  deps.observe?.attemptEnded?.({ type: job.jobType, result, seconds });
  if (result === 'succeeded' || result === 'failed') deps.ends.notify(job.memoryId);
}
