import type { ClaimedJob } from '../../store/jobs.ts';
import type { EndedAttempt, JobDeps } from './deps.ts';
import { LeaseLost } from './failed-attempt.ts';
import { type KeptLease, keepLeases } from './lease.ts';
import { type BatchOutcome, type FailedSmallJob, processBatch } from './process-batch.ts';
import { writeText } from './process-memory.ts';
import { runJob, storedFailure } from './run-job.ts';
import { createMemoryWriter } from './write-memory.ts';

/** Called with each job of a batch when its attempt has ended. */
export type Ended = (job: ClaimedJob, result: EndedAttempt['result']) => void;

/**
 * Runs one attempt of each of several small jobs of one claim, together as far as that goes, and stores how each ended.
 * Throws as `runJob` does, after all others have ended.
 */
export async function runBatch(
  deps: JobDeps,
  jobs: readonly ClaimedJob[],
  ended: Ended,
  stop: AbortSignal,
): Promise<void> {
  const leaseMs = deps.settings.jobLeaseS * 1000;
  const lease = keepLeases({ pool: deps.db.background, database: deps.database, leaseMs }, jobs, stop);
  const outcome: BatchOutcome = { finished: [], failed: [] };
  const problems: unknown[] = [];
  const attempt = async (job: ClaimedJob, end: () => Promise<EndedAttempt['result']>) => {
    // One result that cannot be stored must not keep the others from being stored.
    await end().then(
      (result) => ended(job, result),
      (error: unknown) => problems.push(error),
    );
  };
  try {
    await processBatch(deps, jobs, outcome, lease.signal).catch((error: unknown) => {
      if (!lease.signal.aborted) deps.log.info({ err: error, jobs: jobs.length }, 'small jobs are run one by one');
    });
    for (const job of outcome.finished) ended(job, 'succeeded');
    for (const failed of outcome.failed) await attempt(failed.job, () => storeFailed(deps, failed, lease, stop));
    for (const job of othersOf(jobs, outcome)) await attempt(job, () => runJob(deps, job, stop));
  } finally {
    lease.release();
  }
  if (problems.length > 0) throw problems[0];
}

function othersOf(jobs: readonly ClaimedJob[], { finished, failed }: BatchOutcome): ClaimedJob[] {
  const known = new Set([...finished, ...failed.map(({ job }) => job)]);
  return jobs.filter((job) => !known.has(job));
}

/** The text is useful without vectors. An error while storing it must not hide the original failure. */
async function storeFailed(
  deps: JobDeps,
  { job, failure, content, preparedDigest }: FailedSmallJob,
  lease: KeptLease,
  stop: AbortSignal,
): Promise<EndedAttempt['result']> {
  if (content !== undefined && !lease.signal.aborted && !(failure instanceof LeaseLost)) {
    await writeText(createMemoryWriter(deps.db, job, lease.signal), content).catch(() => undefined);
  }
  const progress = { hasAdvanced: false, preparedDigest };
  return await storedFailure(deps, { job, progress, failure, lease }, stop);
}
