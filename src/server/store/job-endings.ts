import type { Queryable, StatementOptions } from './db.ts';
import { type Lease, LOST_WORKER } from './jobs.ts';
import { statement } from './statement.ts';

const SUCCEED = statement({
  name: 'jobs.succeed',
  purpose: 'Ends a job with success, if the worker still holds it',
  text: `with done as (
      update job set status = 'SUCCEEDED', lease_until = null, locked_by = null, lease_token = null,
        last_error = null, away_since = null, away_attempts = 0, prepared_digest = null, updated_at = now()
      where job_id = $1 and lease_token = $2 and status = 'RUNNING' returning job_id
    )
    update job_attempt a set finished_at = now(), ok = true, progress_current = $4, progress_total = $4,
      progress_updated_at = now()
    from done where a.attempt_id = $3`,
});
/** Runs after `lockMemory` and `lockAttempts` in the same transaction. */
const FAIL = statement({
  name: 'jobs.fail',
  purpose: 'Ends an attempt without success: the job waits for the next one, or has FAILED',
  text: `with done as (
      update job set status = $4, run_at = now() + $5 * interval '1 millisecond', attempts = $6, last_error = $7,
        away_since = case when $8 then case when $12 then now() else coalesce(away_since, now()) end end,
        away_attempts = $9, prepared_digest = case when $4 = 'PENDING' then coalesce($13, prepared_digest) end,
        lease_until = null, locked_by = null, lease_token = null, updated_at = now()
      where job_id = $1 and lease_token = $2 and status = 'RUNNING' returning space_id, memory_id
    ), ended as (
      update job_attempt a set finished_at = now(), ok = false, status_message = $10, error_message = $7,
        error_stacktrace = $11, is_counted = $14
      from done where a.attempt_id = $3
    )
    update memory m set processing_status = $4, failure_reason = case $4 when 'FAILED' then $7 end, updated_at = now()
    from done where m.space_id = done.space_id and m.memory_id = done.memory_id`,
});
const LOCK_ATTEMPTS = statement({
  name: 'jobs.lock_attempts',
  purpose: 'The counted attempts of a job without the running one, locked until its end is stored',
  text: `select j.attempts - a.is_counted::int as before from job j join job_attempt a using (job_id)
    where j.job_id = $1 and j.lease_token = $2 and j.status = 'RUNNING' and a.attempt_id = $3 for update`,
});
/** Applies only to an attempt that another worker has ended. A job that was canceled or has failed permanently is left as it is. */
const UNCOUNT = statement({
  name: 'jobs.uncount',
  purpose: 'Removes an attempt from the count whose worker was slow, not lost',
  text: `with taken as (
      select job_id from job where job_id = $1 and status in ('PENDING', 'RUNNING', 'SUCCEEDED') for update
    ), freed as (
      update job_attempt a set is_counted = false, status_message = $3
      from taken
      where a.attempt_id = $2 and a.job_id = taken.job_id and a.is_counted and a.error_message = '${LOST_WORKER}'
      returning a.job_id
    )
    update job j set attempts = j.attempts - 1 from freed where j.job_id = freed.job_id`,
});

/** Checks the lease and ends the job. False when this worker no longer holds it. */
export async function succeedJob(
  tx: Queryable,
  { jobId, leaseToken, attemptId }: Lease,
  chunkCount: number,
  options?: StatementOptions,
): Promise<boolean> {
  return (await tx.execute(SUCCEED, [jobId, leaseToken, attemptId, chunkCount], options)) === 1;
}

/** The state in which a failed attempt leaves its job. */
export interface FailedAttempt {
  /** PENDING runs again after the delay. The memory gets the same status. */
  status: 'PENDING' | 'FAILED';
  delayMs: number;
  /** Counted attempts from now on. */
  attempts: number;
  /** Whether this attempt is one of them. */
  isCounted: boolean;
  unavailableAttempts: number;
  /** Whether the provider or the database was unavailable; the time of the first such failure is kept. */
  isUnavailable: boolean;
  /** The attempt has stored chunks, so the time of unavailability starts again now. */
  hasAdvanced: boolean;
  /** Digest of the input of the stored chunks; null keeps that of the job. */
  preparedDigest: Buffer | null;
  errorMessage: string | null;
  errorStacktrace: string | null;
  statusMessage: string | null;
}

/** Ends an attempt without success. False when this worker no longer holds the job. */
export async function failAttempt(
  tx: Queryable,
  { jobId, leaseToken, attemptId }: Lease,
  failed: FailedAttempt,
  options?: StatementOptions,
): Promise<boolean> {
  const values = [
    jobId,
    leaseToken,
    attemptId,
    failed.status,
    Math.round(failed.delayMs),
    failed.attempts,
    failed.errorMessage,
    failed.isUnavailable,
    failed.unavailableAttempts,
    failed.statusMessage,
    failed.errorStacktrace,
    failed.hasAdvanced,
    failed.preparedDigest,
    failed.isCounted,
  ];
  return (await tx.execute(FAIL, values, options)) === 1;
}

/**
 * The number of counted attempts of a job without the running one. Locks the job and the attempt until the transaction
 * ends; the memory must be locked before. Undefined when this worker no longer holds the job.
 */
export async function lockAttempts(
  tx: Queryable,
  { jobId, leaseToken, attemptId }: Lease,
  options?: StatementOptions,
): Promise<number | undefined> {
  const [row] = await tx.query<{ before: number }>(LOCK_ATTEMPTS, [jobId, leaseToken, attemptId], options);
  return row?.before;
}

/**
 * Removes an attempt from the count of its job if another worker has taken the job over. Does nothing otherwise, or when
 * called again.
 */
export async function uncountAttempt(
  q: Queryable,
  { jobId, attemptId }: Lease,
  statusMessage: string,
  options?: StatementOptions,
): Promise<void> {
  await q.execute(UNCOUNT, [jobId, attemptId, statusMessage], options);
}
