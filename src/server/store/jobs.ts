import type { CallOptions, Queryable } from './db.ts';
import { statement } from './statement.ts';

/** What the history says of an attempt whose job another worker took over. */
export const LOST_WORKER = 'The worker was lost: its lease ran out';

/** A job in the hands of one worker. */
export interface ClaimedJob {
  jobId: number;
  jobType: string;
  attemptId: number;
  /** Of the space. */
  ownerId: string;
  spaceId: string;
  memoryId: string;
  /** Those that count, and this one. */
  attempts: number;
  maxAttempts: number;
  /** Every attempt was used up by workers that were lost, this claim is only to say so. */
  isExhausted: boolean;
  /** Since when the provider has been away, and how often it was found so. */
  awaySince: number | null;
  awayAttempts: number;
  /** How long the space waits for a provider that is away. */
  giveUpAfterMinutes: number;
  /** Proves the claim. */
  leaseToken: string;
}

/** What proves a claim. */
export type Lease = Pick<ClaimedJob, 'jobId' | 'attemptId' | 'leaseToken' | 'spaceId' | 'memoryId'>;

/**
 * Takes one job whose time has come, or one whose worker was lost, in one statement that waits for nobody. Owners take
 * turns in the order of their ids: the search begins behind the owner of $4 and goes round once, with one look at the
 * index for the next owner and one for the first job of that owner. With 100,000 jobs that are due,
 * of 1, 1,000 or 100,000 owners, a claim takes 0.5 ms; each owner whose jobs all wait for their time adds 10 to 20 µs
 * where the search comes past it.
 * The statement touches no memory: memories are locked before jobs everywhere else, and one that did it the other way
 * round could deadlock with a deletion.
 *
 * A claim is no attempt yet: it is counted by `beginProcessing`, with which its worker takes up the content. What of a
 * content kills a process lies behind that, so who is lost there has used an attempt up, and a job that has killed the
 * workers of all its attempts ends FAILED. A claim whose answer did not arrive, or whose worker was lost before it began,
 * costs nothing. Nor does a lease that a slow database kept from being renewed: its worker lives, and takes the attempt
 * off the count when it comes to know (`uncountAttempt`), which a dead one cannot.
 */
const CLAIM = statement({
  name: 'jobs.claim',
  purpose: 'Takes one job whose time has come, owners in turn',
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
      is_exhausted as "isExhausted", away_since as "awaySince", away_attempts as "awayAttempts",
      give_up_after_minutes as "giveUpAfterMinutes", lease_token as "leaseToken"
    from claimed c join space using (space_id), begun`,
});
/** Comes before every owner. */
const NOBODY = '00000000-0000-0000-0000-000000000000';
const RENEW = statement({
  name: 'jobs.renew',
  purpose: 'Prolongs the lease of a job',
  text: `update job set lease_until = now() + $3 * interval '1 millisecond'
    where job_id = $1 and lease_token = $2 and status = 'RUNNING'`,
});
const REPORT = statement({
  name: 'jobs.report',
  purpose: 'Prolongs the lease and shows how far the attempt is',
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
  /** Whose job was taken last: the turn is with the owner behind. Undefined to begin with the first. */
  after?: string | undefined;
  /** Jobs that this process works on: none of them is lost, though the database may have been too slow to renew a lease. */
  running?: readonly number[];
  /** Whether jobs whose lease ran out are taken too. Default true. */
  takesLost?: boolean;
}

/** Undefined when nothing is to be done. */
export async function claimJob(q: Queryable, claim: Claim, options?: CallOptions): Promise<ClaimedJob | undefined> {
  const { workerId, leaseToken, leaseMs, after = NOBODY, running = [], takesLost = true } = claim;
  const values = [workerId, leaseToken, leaseMs, after, running, takesLost];
  const [row] = await q.query<ClaimedJob>(CLAIM, values, options);
  return row;
}

/** False when the job is no longer this worker's. */
export async function renewLease(
  q: Queryable,
  { jobId, leaseToken }: Lease,
  leaseMs: number,
  options?: CallOptions,
): Promise<boolean> {
  return (await q.execute(RENEW, [jobId, leaseToken, leaseMs], options)) === 1;
}

/**
 * Locks the memory of a job until the transaction ends; false when it was deleted. Must come before every check of the
 * lease: a worker that takes a job over touches the memory first, so whoever holds the memory and then finds the lease
 * in order can write without a race.
 */
export async function lockMemory(tx: Queryable, lease: Lease, options?: CallOptions): Promise<boolean> {
  const rows = await tx.query(LOCK_MEMORY, [lease.spaceId, lease.memoryId], options);
  return rows.length === 1;
}

/** Checks the lease and shows how far the attempt is, in chunks. False when the job is no longer this worker's. */
export async function reportProgress(
  tx: Queryable,
  { jobId, leaseToken, attemptId }: Lease,
  progress: { current: number; total: number | null },
  options?: CallOptions,
): Promise<boolean> {
  const values = [jobId, leaseToken, attemptId, progress.current, progress.total];
  return (await tx.execute(REPORT, values, options)) === 1;
}
