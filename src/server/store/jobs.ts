import type { Queryable, StatementOptions } from './db.ts';
import { statement } from './statement.ts';

/** What the history says of an attempt whose job was taken over by another worker. Statements compare with it, so it is fixed. */
export const LOST_WORKER = 'The worker was lost: its lease ran out';

/** A job that one worker has claimed. */
export interface ClaimedJob {
  jobId: number;
  jobType: string;
  attemptId: number;
  /** Of the space. */
  ownerId: string;
  spaceId: string;
  memoryId: string;
  /** Counted attempts, including this one. */
  attempts: number;
  maxAttempts: number;
  /** All attempts ended with a lost worker: the claim serves only to mark the job as FAILED. */
  isExhausted: boolean;
  /** Since when a provider or the database has been unavailable to this job, and in how many attempts. */
  unavailableSince: number | null;
  unavailableAttempts: number;
  /** How long the space waits for an unavailable provider. */
  giveUpAfterMinutes: number;
  /** Proves that the worker holds the job; all jobs of one claim have the same. */
  leaseToken: string;
}

/** What a worker needs to write on behalf of its job. */
export type Lease = Pick<ClaimedJob, 'jobId' | 'attemptId' | 'leaseToken' | 'spaceId' | 'memoryId'>;

/**
 * Waits for no lock. It locks several jobs without their memories, so with a deletion or with the end of a batch, which both
 * lock them in the order of their memories, each could wait for the other. A job that is locked is about to end, and cannot
 * be claimed meanwhile: a claim skips it too.
 */
const RENEW = statement({
  name: 'jobs.renew',
  purpose: 'Renews the leases of the jobs of one claim that no other transaction has locked',
  text: `with held as materialized (
      select job_id from job where job_id = any ($1::bigint[]) and lease_token = $2 and status = 'RUNNING'
    ), free as materialized (
      select job_id from job where job_id = any ($1::bigint[]) and lease_token = $2 and status = 'RUNNING'
      for no key update skip locked
    ), renewed as (
      update job j set lease_until = now() + $3 * interval '1 millisecond' from free where j.job_id = free.job_id
      returning 1
    )
    select (select count(*) from held) as held, (select count(*) from renewed) as renewed`,
});
const REPORT = statement({
  name: 'jobs.report',
  purpose: 'Checks the lease and stores the progress of the attempt',
  text: `update job_attempt a set progress_current = $4, progress_total = $5, progress_updated_at = now()
    from job j where a.attempt_id = $3 and j.job_id = $1 and j.lease_token = $2 and j.status = 'RUNNING'`,
});
const LOCK_MEMORY = statement({
  name: 'jobs.lock_memory',
  purpose: 'Locks the memory of a job for a write',
  text: 'select memory_id from memory where space_id = $1 and memory_id = $2 for no key update',
});

/**
 * Renews the leases of jobs of one claim, except for those of jobs that another transaction has locked. Returns how many
 * this worker still holds, and how many of these it has renewed.
 */
export async function renewLeases(
  q: Queryable,
  leases: readonly Lease[],
  leaseMs: number,
  options?: StatementOptions,
): Promise<{ held: number; renewed: number }> {
  const values = [leases.map(({ jobId }) => jobId), leases[0]?.leaseToken, leaseMs];
  const [row] = await q.query<{ held: number; renewed: number }>(RENEW, values, options);
  return row ?? { held: 0, renewed: 0 };
}

/**
 * Locks the memory of a job until the transaction ends; false when it was deleted. Must come before every check of the
 * lease: a worker that takes over a job locks the memory first, so a worker that holds the lock on the memory and then
 * finds its lease valid can write without a race.
 */
export async function lockMemory(tx: Queryable, lease: Lease, options?: StatementOptions): Promise<boolean> {
  const rows = await tx.query(LOCK_MEMORY, [lease.spaceId, lease.memoryId], options);
  return rows.length === 1;
}

/** Checks the lease and stores the progress of the attempt, in chunks. False when this worker no longer holds the job. */
export async function reportProgress(
  tx: Queryable,
  { jobId, leaseToken, attemptId }: Lease,
  progress: { current: number; total: number | null },
  options?: StatementOptions,
): Promise<boolean> {
  const values = [jobId, leaseToken, attemptId, progress.current, progress.total];
  return (await tx.execute(REPORT, values, options)) === 1;
}
