import { sleep } from '../../../shared/async/timer.ts';
import { deleteChunks } from '../../store/chunks.ts';
import type { Queryable } from '../../store/db.ts';
import { TransientDatabaseError } from '../../store/errors.ts';
import { failAttempt, lockAttempts, uncountAttempt } from '../../store/job-endings.ts';
import { type ClaimedJob, lockMemory } from '../../store/jobs.ts';
import { selectSpaceEmbedders } from '../../store/space-embedders.ts';
import type { EndedAttempt, IngestDeps, JobDeps } from './deps.ts';
import { failedAttempt, Interrupted, LeaseLost } from './failure.ts';
import { type KeptLease, keepLease } from './lease.ts';
import { type Progress, processMemory } from './process-memory.ts';

/** A large document may leave many chunks behind. */
const STORE_TIMEOUT_MS = 120_000;
/** Between tries to store how an attempt ended. */
const STORE_AGAIN_MS = 2000;
const SLOW_DATABASE = 'The database was too slow to renew the lease; not counted as an attempt';

/**
 * Runs one attempt of a claimed job to its end, whatever that is. Throws when the end cannot be stored: at once when the
 * database refuses it, and when the server stops while the database is in trouble. The job is then that of a lost worker,
 * and what became of the attempt stands in the log alone.
 */
export async function runJob(deps: JobDeps, job: ClaimedJob, stop: AbortSignal): Promise<EndedAttempt['result']> {
  const progress: Progress = { hasAdvanced: false, preparedDigest: null };
  const leaseMs = deps.settings.jobLeaseS * 1000;
  const lease = keepLease({ pool: deps.db.background, database: deps.database, leaseMs }, job, stop);
  try {
    if (job.isExhausted) throw new Error('The workers of all attempts were lost');
    await processMemory(deps, job, progress, lease.signal);
    return 'succeeded';
  } catch (error) {
    // An aborted call fails in its own words; the reason of the abort is what counts.
    const failure = lease.signal.aborted ? lease.signal.reason : error;
    return await storedFailure(deps, { job, progress, failure, lease }, stop);
  } finally {
    lease.release();
  }
}

interface FailedJob {
  job: ClaimedJob;
  progress: Progress;
  failure: unknown;
  lease: KeptLease;
}

/**
 * Stores a failure however long the database is away: a job that is left behind would be taken for that of a lost worker,
 * which costs an attempt. The lease is kept meanwhile.
 */
async function storedFailure(deps: IngestDeps, failed: FailedJob, stop: AbortSignal) {
  for (;;) {
    try {
      return await storeFailure(deps, failed);
    } catch (error) {
      if (!(error instanceof TransientDatabaseError) || stop.aborted) throw error;
      deps.log.warn(
        { jobId: failed.job.jobId, err: error },
        'the result of a processing attempt cannot be stored yet; trying again',
      );
      await sleep(STORE_AGAIN_MS, stop).catch(() => undefined);
    }
  }
}

async function storeFailure(deps: IngestDeps, failedJob: FailedJob): Promise<EndedAttempt['result']> {
  const { job, failure: error, lease } = failedJob;
  const failed = error instanceof LeaseLost ? undefined : await storeEnding(deps, failedJob);
  if (failed === undefined) {
    if (lease.wasHindered()) await uncountAttempt(deps.db.background, job, SLOW_DATABASE);
    return 'lost';
  }
  if (error instanceof Interrupted) return 'released';
  const context = { jobId: job.jobId, memoryId: job.memoryId, attempts: failed.attempts, err: error };
  if (failed.status === 'FAILED') deps.log.warn(context, 'processing a memory failed');
  else deps.log.info({ ...context, retryInMs: failed.delayMs }, 'processing a memory failed; it is tried again');
  return failed.status === 'FAILED' ? 'failed' : 'retried';
}

/** How the attempt leaves its job; undefined when the job is no longer this worker's. */
function storeEnding({ db }: IngestDeps, { job, progress, failure }: FailedJob) {
  return db.background.withTx(
    async (tx) => {
      const [, before] = await Promise.all([lockMemory(tx, job), lockAttempts(tx, job)]);
      if (before === undefined) return undefined;
      // As it is now: an attempt that was lost may have been taken off the count since the claim.
      const attempts = Math.min(before + 1, job.maxAttempts);
      // Who lets a part of the work through was not away all the time.
      const since = progress.hasAdvanced ? { unavailableSince: null, unavailableAttempts: 0 } : {};
      const ending = failedAttempt({ ...job, ...since, attempts }, failure, Date.now(), Math.random());
      await failAttempt(tx, job, { ...ending, ...progress });
      if (ending.status === 'FAILED') await removeChunks(tx, job);
      return ending;
    },
    { timeoutMs: STORE_TIMEOUT_MS },
  );
}

/** Batches that went well would lie about, unseen, in every search of the space; the text is still worth reading. */
async function removeChunks(tx: Queryable, { spaceId, memoryId }: ClaimedJob): Promise<void> {
  const embedders = await selectSpaceEmbedders(tx, [spaceId]);
  const embedderIds = embedders.map(({ embedderId }) => embedderId);
  await deleteChunks(tx, { spaceId, memoryIds: [memoryId], embedderIds }, { timeoutMs: STORE_TIMEOUT_MS });
}
