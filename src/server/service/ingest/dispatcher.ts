import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { sleepUntilAborted } from '../../../shared/async/timer.ts';
import { Wakeup } from '../../../shared/async/wakeup.ts';
import { claimJobs } from '../../store/job-claim.ts';
import type { ClaimedJob } from '../../store/jobs.ts';
import type { CompletionNotifier } from './completion-notifier.ts';
import type { EndedAttempt, JobDeps } from './deps.ts';
import { runBatch } from './run-batch.ts';
import { runJob } from './run-job.ts';

/** Jobs queued by other servers, retries and expired leases are found by polling. */
const POLL_MS = 1000;
/** Pause after a failure. */
export const RETRY_MS = 2000;
/**
 * Jobs of a batch, and the bytes of content up to which a job runs in one. Fewer jobs on the embedded engine, where all
 * other calls wait for the transaction that writes them.
 */
const BATCH_JOBS = { one: 16, many: 64 } as const;
const SMALL_BYTES = 4096;
/**
 * After a batch that was not full, what comes in gathers for so long, unless all workers end before. Taken at once, memories
 * that arrive one by one make batches of two or three, each with the calls of one of sixty.
 */
const GATHER_MS = 50;

interface DispatchDeps extends JobDeps {
  /** Notified when a job may have become due, and when the server drains or stops. */
  work: Wakeup;
  completions: CompletionNotifier;
}

/**
 * Claims jobs for the workers of one process and runs them, until the server drains or `stop` aborts; then waits for those
 * that run. It asks for work only while a worker is free, and with one claim at a time for all of them, so that each claim
 * knows the owner whose turn the last one was. Every server does its own round robin: a waiting owner is reached by each
 * of them after at most one claim for every other owner.
 */
export async function dispatchJobs(deps: DispatchDeps, stop: AbortSignal): Promise<void> {
  const free = Array.from({ length: deps.settings.workerParallelism }, (_, n) => n + 1);
  const freed = new Wakeup();
  const turn: Turn = { after: undefined, running: new Set() };
  const workers = new Set<Promise<void>>();
  let gathersUntil = 0;
  while (!stop.aborted && !deps.lifecycle.draining) {
    const gathersMs = workers.size === 0 ? 0 : gathersUntil - performance.now();
    const worker = gathersMs > 0 ? undefined : free.shift();
    if (worker === undefined) {
      await freed.wait(gathersMs > 0 ? { timeoutMs: gathersMs } : {});
      continue;
    }
    // Registered before the claim: otherwise a drain between the two would consider the server idle.
    const end = deps.lifecycle.begin();
    const { jobs, pauseMs } = await claim(deps, turn, worker, stop);
    if (jobs.length === 0) {
      free.unshift(worker);
      end();
      await deps.work.wait({ timeoutMs: pauseMs });
      continue;
    }
    const isPartOfBatch = jobs.length > 1 && jobs.length < BATCH_JOBS[deps.db.capabilities.sessions];
    gathersUntil = isPartOfBatch ? performance.now() + GATHER_MS : 0;
    const running = work(deps, jobs, end, stop).finally(() => {
      for (const { jobId } of jobs) turn.running.delete(jobId);
      workers.delete(running);
      free.push(worker);
      freed.notify();
    });
    workers.add(running);
  }
  await Promise.all(workers);
}

/** What a claim needs to know of the ones before. */
interface Turn {
  /** Owner of the first job of the last claim. */
  after: string | undefined;
  running: Set<number>;
}

/** The jobs of the next claim, or how long to wait for the one after it, in milliseconds. */
async function claim(
  { db, database, settings, log }: DispatchDeps,
  turn: Turn,
  worker: number,
  stop: AbortSignal,
): Promise<{ jobs: ClaimedJob[]; pauseMs: number }> {
  try {
    // Without the signal: an aborted claim may have succeeded, and its job would stay leased without a worker.
    const jobs = await database.watch(() =>
      claimJobs(db.background, {
        workerId: `${hostname()}-${process.pid}/${worker}`,
        leaseToken: randomUUID(),
        leaseMs: settings.jobLeaseS * 1000,
        after: turn.after,
        running: [...turn.running],
        takesLost: database.showsLostWorkers,
        most: BATCH_JOBS[db.capabilities.sessions],
        smallBytes: SMALL_BYTES,
      }),
    );
    turn.after = jobs[0]?.ownerId ?? turn.after;
    for (const { jobId } of jobs) turn.running.add(jobId);
    return { jobs, pauseMs: POLL_MS };
  } catch (error) {
    if (!stop.aborted) log.warn({ err: error }, 'background worker failed and will retry');
    return { jobs: [], pauseMs: RETRY_MS };
  }
}

/** Runs the jobs of a claim. Never rejects; after a failure that could not be stored it pauses. */
async function work(deps: DispatchDeps, jobs: ClaimedJob[], end: () => void, stop: AbortSignal): Promise<void> {
  const started = performance.now();
  const ended = (job: ClaimedJob, result: EndedAttempt['result']) => {
    deps.observe?.attemptEnded?.({ type: job.jobType, result, seconds: (performance.now() - started) / 1000 });
    if (result === 'succeeded' || result === 'failed') deps.completions.notify(job.memoryId);
  };
  try {
    const [only, ...others] = jobs;
    if (only !== undefined && others.length === 0) ended(only, await runJob(deps, only, stop));
    else await runBatch(deps, jobs, ended, stop);
  } catch (error) {
    if (!stop.aborted) deps.log.warn({ err: error }, 'background worker failed and will retry');
    end();
    await sleepUntilAborted(RETRY_MS, stop);
  } finally {
    end();
  }
}
