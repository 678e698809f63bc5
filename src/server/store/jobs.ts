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
  /** Proves that the worker holds the job. */
  leaseToken: string;
}

/** What a worker needs to write on behalf of its job. */
export type Lease = Pick<ClaimedJob, 'jobId' | 'attemptId' | 'leaseToken' | 'spaceId' | 'memoryId'>;

/**
 * Claims one due job, or one whose lease has expired, without waiting for row locks. Owners take turns in the order of
 * their ids (round robin): the search starts after the owner $4 and goes round once, with one index lookup for the next
 * owner and one for the first job of that owner. With 100,000 due jobs of 1, 1,000 or 100,000 owners a claim takes 0.5 ms;
 * each owner on the way whose jobs are all scheduled for later adds 10 to 20 µs.
 * The statement locks no memory: all other code locks memories before jobs, so the opposite order could deadlock with a
 * deletion.
 *
 * A claim does not count as an attempt; `beginProcessing`, which loads the content, counts it. Content that crashes its
 * process does so after that, so a worker lost there has used up an attempt, and a job that has crashed the workers of all
 * its attempts ends FAILED. A claim whose response did not arrive, or whose worker was lost before it began, is not
 * counted. Neither is an attempt whose lease expired because the database was too slow to renew it: its worker is alive and
 * removes the attempt from the count as soon as it notices (`uncountAttempt`), which a crashed worker cannot.
 */
const CLAIM = statement({
  name: 'jobs.claim',
  purpose: 'Claims one due job, owners in turn',
  text: `with recursive lost as (
      select job_id, attempts from job where status = 'RUNNING' and lease_until < now()
        and $6 and job_id <> all ($5::bigint[])
      order by lease_until limit 1 for update skip locked
    ), turn (owner_id, lap) as (
      select $4::uuid, 0
      where not exists (select from lost) and (select min(run_at) from job where status = 'PENDING') <= now()
      union all
      select coalesce(higher.owner_id, lowest.owner_id), case when higher.owner_id is null then 1 else t.lap end
      from turn t
      left join lateral (
        select owner_id from job where status = 'PENDING' and owner_id > t.owner_id order by owner_id limit 1
      ) higher on true
      left join lateral (
        select owner_id from job where status = 'PENDING' and t.lap = 0 and higher.owner_id is null
        order by owner_id limit 1
      ) lowest on true
      where higher.owner_id is not null and (t.lap = 0 or higher.owner_id <= $4::uuid)
        or lowest.owner_id <= $4::uuid
    ), due as (
      select first.* from turn
      cross join lateral (
        select job_id, attempts from job
        where status = 'PENDING' and owner_id = turn.owner_id and run_at <= now()
        order by run_at, job_id limit 1 for update skip locked
      ) first
      where turn.lap = 1 or turn.owner_id <> $4::uuid
      limit 1
    ), picked as (
      select job_id, attempts, true as was_lost from lost union all select job_id, attempts, false from due
    ), ended as (
      update job_attempt a set finished_at = now(), ok = false, error_message = '${LOST_WORKER}',
        status_message = case when not a.is_counted then 'The attempt had not begun; not counted as an attempt' end
      from lost where a.job_id = lost.job_id and a.finished_at is null
    ), claimed as (
      update job j set status = 'RUNNING', locked_by = $1, lease_token = $2,
        lease_until = now() + $3 * interval '1 millisecond', updated_at = now()
      from picked p where j.job_id = p.job_id
      returning j.*, p.was_lost and p.attempts >= j.max_attempts as is_exhausted
    ), begun as (
      insert into job_attempt (job_id, started_at, worker_id, progress_unit)
      select job_id, now(), $1, 'chunks' from claimed returning attempt_id
    )
    select job_id as "jobId", job_type as "jobType", attempt_id as "attemptId", c.owner_id as "ownerId",
      space_id as "spaceId", memory_id as "memoryId", least(attempts + 1, max_attempts) as attempts,
      max_attempts as "maxAttempts",
      is_exhausted as "isExhausted", away_since as "unavailableSince", away_attempts as "unavailableAttempts",
      give_up_after_minutes as "giveUpAfterMinutes", lease_token as "leaseToken"
    from claimed c join space using (space_id), begun`,
});
/** Sorts before every owner id. */
const BEFORE_ALL_OWNERS = '00000000-0000-0000-0000-000000000000';
const RENEW = statement({
  name: 'jobs.renew',
  purpose: 'Renews the lease of a job',
  text: `update job set lease_until = now() + $3 * interval '1 millisecond'
    where job_id = $1 and lease_token = $2 and status = 'RUNNING'`,
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

export interface Claim {
  /** As the history shows it. */
  workerId: string;
  leaseToken: string;
  leaseMs: number;
  /** The owner of the last claimed job: the search starts after it. Undefined starts with the first owner. */
  after?: string | undefined;
  /** Jobs that this process is working on. They are not lost, even if the database was too slow to renew a lease. */
  running?: readonly number[];
  /** Whether jobs whose lease has expired are claimed too. Default true. */
  takesLost?: boolean;
}

/** Undefined when no job is due. */
export async function claimJob(
  q: Queryable,
  claim: Claim,
  options?: StatementOptions,
): Promise<ClaimedJob | undefined> {
  const { workerId, leaseToken, leaseMs, after = BEFORE_ALL_OWNERS, running = [], takesLost = true } = claim;
  const values = [workerId, leaseToken, leaseMs, after, running, takesLost];
  const [row] = await q.query<ClaimedJob>(CLAIM, values, options);
  return row;
}

/** False when this worker no longer holds the job. */
export async function renewLease(
  q: Queryable,
  { jobId, leaseToken }: Lease,
  leaseMs: number,
  options?: StatementOptions,
): Promise<boolean> {
  return (await q.execute(RENEW, [jobId, leaseToken, leaseMs], options)) === 1;
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
