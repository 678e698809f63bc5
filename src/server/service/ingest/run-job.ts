import { setTimeout as sleep } from 'node:timers/promises';
import { deleteChunks } from '../../store/chunks.ts';
import type { Queryable } from '../../store/db.ts';
import { DatabaseTrouble } from '../../store/errors.ts';
import { type ClaimedJob, failAttempt, lockMemory } from '../../store/jobs.ts';
import { selectSpaceEmbedders } from '../../store/space-embedders.ts';
import type { EndedAttempt, IngestDeps } from './deps.ts';
import { failedAttempt, Interrupted, LeaseLost } from './failure.ts';
import { keepLease } from './lease.ts';
import { type Progress, processMemory } from './process-memory.ts';

/** A large document may leave many chunks behind. */
const STORE_TIMEOUT_MS = 120_000;
/** Between tries to store how an attempt ended. */
const STORE_AGAIN_MS = 2000;

/**
 * Runs one attempt of a claimed job to its end, whatever that is. Throws only when the server stops and not even that can
 * be stored.
 */
export async function runJob(deps: IngestDeps, job: ClaimedJob, stop: AbortSignal): Promise<EndedAttempt['result']> {
  const progress: Progress = { hasAdvanced: false, preparedDigest: null };
  const lease = keepLease(deps.db.background, job, deps.settings.jobLeaseS * 1000, stop);
  try {
    if (job.isExhausted) throw new Error('The workers of all attempts were lost');
    await processMemory(deps, job, progress, lease.signal);
    return 'succeeded';
  } catch (error) {
    // An aborted call fails in its own words; the reason of the abort is what counts.
    const failure = lease.signal.aborted ? lease.signal.reason : error;
    return await storedFailure(deps, { job, progress, failure }, stop);
  } finally {
    lease.release();
  }
}

interface FailedJob {
  job: ClaimedJob;
  progress: Progress;
  failure: unknown;
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
      if (!(error instanceof DatabaseTrouble) || stop.aborted) throw error;
      deps.log.warn({ jobId: failed.job.jobId, err: error }, 'how an attempt ended cannot be stored yet');
      await sleep(STORE_AGAIN_MS, undefined, { signal: stop }).catch(() => undefined);
    }
  }
}

async function storeFailure(
  deps: IngestDeps,
  { job, progress, failure: error }: FailedJob,
): Promise<EndedAttempt['result']> {
  if (error instanceof LeaseLost) return 'lost';
  // Who lets a part of the work through was not away all the time.
  const since = progress.hasAdvanced ? { ...job, awaySince: null, awayAttempts: 0 } : job;
  const failed = { ...failedAttempt(since, error, Date.now(), Math.random()), ...progress };
  const isHeld = await deps.db.background.withTx(
    async (tx) => {
      const [, isStored] = await Promise.all([lockMemory(tx, job), failAttempt(tx, job, failed)]);
      if (isStored && failed.status === 'FAILED') await removeChunks(tx, job);
      return isStored;
    },
    { timeoutMs: STORE_TIMEOUT_MS },
  );
  if (!isHeld) return 'lost';
  if (error instanceof Interrupted) return 'released';
  const context = { jobId: job.jobId, memoryId: job.memoryId, attempts: failed.attempts, err: error };
  if (failed.status === 'FAILED') deps.log.warn(context, 'processing a memory failed');
  else deps.log.info({ ...context, retryInMs: failed.delayMs }, 'processing a memory failed and is tried again');
  return failed.status === 'FAILED' ? 'failed' : 'retried';
}

/** Batches that went well would lie about, unseen, in every search of the space; the text is still worth reading. */
async function removeChunks(tx: Queryable, { spaceId, memoryId }: ClaimedJob): Promise<void> {
  const embedders = await selectSpaceEmbedders(tx, [spaceId]);
  const embedderIds = embedders.map(({ embedderId }) => embedderId);
  await deleteChunks(tx, { spaceId, memoryIds: [memoryId], embedderIds }, { timeoutMs: STORE_TIMEOUT_MS });
}
