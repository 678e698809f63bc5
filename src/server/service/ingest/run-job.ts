import { sleepUntilAborted } from '../../../shared/async/timer.ts';
import { deleteChunks } from '../../store/chunks.ts';
import type { Queryable } from '../../store/db.ts';
import { TransientDatabaseError } from '../../store/errors.ts';
import { failAttempt, lockAttempts, uncountAttempt } from '../../store/job-endings.ts';
import { type ClaimedJob, lockMemory } from '../../store/jobs.ts';
import { selectSpaceEmbedders } from '../../store/space-embedders.ts';
import type { EndedAttempt, IngestDeps, JobDeps } from './deps.ts';
import { AttemptInterrupted, failedAttempt, LeaseLost } from './failed-attempt.ts';
import { type KeptLease, keepLeases } from './lease.ts';
import { type Progress, processMemory } from './process-memory.ts';

/** A failed attempt may have stored many chunks, which are deleted. */
const STORE_TIMEOUT_MS = 120_000;
/** Between tries to store the end of an attempt. */
const STORE_AGAIN_MS = 2000;
const SLOW_DATABASE = 'The database was too slow to renew the lease; not counted as an attempt';

/**
 * Runs one attempt of a claimed job and stores how it ended. Throws when that cannot be stored: because the database
 * refuses it, or because the server stops while the database is unavailable. The job then counts as that of a lost worker,
 * and the outcome of the attempt is only in the log.
 */
export async function runJob(deps: JobDeps, job: ClaimedJob, stop: AbortSignal): Promise<EndedAttempt['result']> {
  const progress: Progress = { hasAdvanced: false, preparedDigest: null };
  const leaseMs = deps.settings.jobLeaseS * 1000;
  const lease = keepLeases({ pool: deps.db.background, database: deps.database, leaseMs }, [job], stop);
  try {
    if (job.isExhausted) throw new Error('The workers of all attempts were lost');
    await processMemory(deps, job, progress, lease.signal);
    return 'succeeded';
  } catch (error) {
    // An aborted call may reject with any error; the reason of the abort is the cause.
    const failure = lease.signal.aborted ? lease.signal.reason : error;
    return await storedFailure(deps, { job, progress, failure, lease }, stop);
  } finally {
    lease.release();
  }
}

/** An attempt that has failed, while its lease is still kept. */
export interface FailedJob {
  job: ClaimedJob;
  progress: Progress;
  failure: unknown;
  lease: Pick<KeptLease, 'wasRenewalLate'>;
}

/**
 * Stores how a failed attempt ended. Retries as long as the database is unavailable: otherwise the job would count as
 * that of a lost worker, which uses up an attempt. The lease is renewed in the meantime.
 */
export async function storedFailure(
  deps: IngestDeps,
  failed: FailedJob,
  stop: AbortSignal,
): Promise<EndedAttempt['result']> {
  for (;;) {
    try {
      return await storeFailure(deps, failed);
    } catch (error) {
      if (!(error instanceof TransientDatabaseError) || stop.aborted) throw error;
      deps.log.warn(
        { jobId: failed.job.jobId, err: error },
        'storing the result of a processing attempt failed and will retry',
      );
      await sleepUntilAborted(STORE_AGAIN_MS, stop);
    }
  }
}

async function storeFailure(deps: IngestDeps, failedJob: FailedJob): Promise<EndedAttempt['result']> {
  const { job, failure: error, lease } = failedJob;
  const failed = error instanceof LeaseLost ? undefined : await storeEnding(deps, failedJob);
  if (failed === undefined) {
    if (lease.wasRenewalLate()) await uncountAttempt(deps.db.background, job, SLOW_DATABASE);
    return 'lost';
  }
  if (error instanceof AttemptInterrupted) return 'released';
  const context = { jobId: job.jobId, memoryId: job.memoryId, attempts: failed.attempts, err: error };
  if (failed.status === 'FAILED') deps.log.warn(context, 'processing a memory failed');
  else deps.log.info({ ...context, retryInMs: failed.delayMs }, 'processing a memory failed and will retry');
  return failed.status === 'FAILED' ? 'failed' : 'retried';
}

/** The state in which the attempt leaves its job; undefined when this worker no longer holds the job. */
function storeEnding({ db }: IngestDeps, { job, progress, failure }: FailedJob) {
  return db.background.withTx(
    async (tx) => {
      const [, before] = await Promise.all([lockMemory(tx, job), lockAttempts(tx, job)]);
      if (before === undefined) return undefined;
      // The current count: another worker's attempt may have been removed from it since the claim.
      const attempts = Math.min(before + 1, job.maxAttempts);
      // A provider that has embedded a part of the chunks was available in the meantime.
      const since = progress.hasAdvanced ? { unavailableSince: null, unavailableAttempts: 0 } : {};
      const ending = failedAttempt({ ...job, ...since, attempts }, failure, Date.now(), Math.random());
      await failAttempt(tx, job, { ...ending, ...progress });
      if (ending.status === 'FAILED') await removeChunks(tx, job);
      return ending;
    },
    { timeoutMs: STORE_TIMEOUT_MS },
  );
}

/** Every search of the space would read the stored chunks and drop them. The text is kept, since it can still be read. */
async function removeChunks(tx: Queryable, { spaceId, memoryId }: ClaimedJob): Promise<void> {
  const embedders = await selectSpaceEmbedders(tx, [spaceId]);
  const embedderIds = embedders.map(({ embedderId }) => embedderId);
  await deleteChunks(tx, { spaceId, memoryIds: [memoryId], embedderIds }, { timeoutMs: STORE_TIMEOUT_MS });
}
