import type { Queryable, StatementOptions } from './db.ts';
import { type ClaimedJob, LOST_WORKER } from './jobs.ts';
import { statement } from './statement.ts';

/**
 * Whether the job of memory `m` in space `s` may run in a batch: its content has at most $7 bytes, and no pattern of its
 * owner cuts it, which may take seconds.
 */
const IS_SMALL = `m.content_length <= $7
      and coalesce(m.chunking_config, s.chunking_config) #>> '{recursive,separatorIsRegex}' is distinct from 'true'`;

/** The memory of a job under this alias, found by its whole key: joined plainly, all memories of its space may be read. */
const memoryOf = (job: string) => `cross join lateral (
        select space_id, content_length, chunking_config from memory
        where memory.space_id = ${job}.space_id and memory.memory_id = ${job}.memory_id offset 0
      ) m`;

/**
 * Claims one due job, or one whose lease has expired, without waiting for row locks. Owners take turns in the order of
 * their ids (round robin): the search starts after the owner $4 and goes round once, with one index lookup for the next
 * owner and one for the first job of that owner. With 100,000 due jobs of 1, 1,000 or 100,000 owners a claim takes 0.5 ms;
 * each owner on the way whose jobs are all scheduled for later adds 10 to 20 µs.
 * The statement locks no memory: all other code locks memories before jobs, so the opposite order could deadlock with a
 * deletion.
 *
 * When the job is small, other small ones come with it, $8 in all at most. They are the first due ones of the next $8 owners
 * in the circle, beginning with that of the job, and each of these owners has the same share. The turn goes on after the
 * owner of the first job, also when the others belong to owners behind it: an owner whose next job is large leads one of
 * the next claims.
 * A job whose worker was lost runs alone, because its content may have been the reason.
 *
 * A claim does not count as an attempt; `beginProcessing`, which loads the content, counts it. Content that crashes its
 * process does so after that, so a worker lost there has used up an attempt, and a job that has crashed the workers of all
 * its attempts ends FAILED. A claim whose response did not arrive, or whose worker was lost before it began, is not
 * counted. Neither is an attempt whose lease expired because the database was too slow to renew it: its worker is alive and
 * removes the attempt from the count as soon as it notices (`uncountAttempt`), which a crashed worker cannot.
 */
const CLAIM = statement({
  name: 'jobs.claim',
  purpose: 'Claims one due job, owners in turn, and further small ones with a small one',
  text: `with recursive lost as (
      select job_id from job where status = 'RUNNING' and lease_until < now()
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
        select job_id, owner_id, space_id, memory_id, run_at from job
        where status = 'PENDING' and owner_id = turn.owner_id and run_at <= now()
        order by run_at, job_id limit 1 for update skip locked
      ) first
      where turn.lap = 1 or turn.owner_id <> $4::uuid
      limit 1
    ), circle (first_id, owner_id, run_at, place) as (
      select due.owner_id, due.owner_id, due.run_at, 1
      from due ${memoryOf('due')} join space s on s.space_id = m.space_id
      where $8 > 1 and ${IS_SMALL}
      union all
      select c.first_id, next.owner_id, next.run_at, c.place + 1
      from circle c
      cross join lateral (
        select owner_id, run_at from (
          (select 0 as lap, owner_id, run_at from job where status = 'PENDING' and owner_id > c.owner_id
            order by owner_id, run_at limit 1)
          union all
          (select 1, owner_id, run_at from job where status = 'PENDING' order by owner_id, run_at limit 1)
        ) either order by lap limit 1
      ) next
      where c.place < $8 and next.owner_id <> c.first_id
    ), company as (
      select owner_id from circle where run_at <= now()
    ), others as (
      select small.* from company
      cross join lateral (
        select ctid as at from job
        where status = 'PENDING' and owner_id = company.owner_id and run_at <= now()
          and job_id <> (select job_id from due)
        order by run_at, job_id limit (select ($8 - 1) / count(*) + 1 from company)
      ) first
      cross join lateral (
        select j.job_id from job j
        ${memoryOf('j')} join space s on s.space_id = m.space_id
        where j.ctid = first.at and j.status = 'PENDING' and ${IS_SMALL}
        for update of j skip locked
      ) small
      limit $8 - 1
    ), ended as (
      update job_attempt a set finished_at = now(), ok = false, error_message = '${LOST_WORKER}',
        status_message = case when not a.is_counted then 'The attempt had not begun; not counted as an attempt' end
      from lost where a.job_id = lost.job_id and a.finished_at is null
    ), claimed as (
      update job j set status = 'RUNNING', locked_by = $1, lease_token = $2,
        lease_until = now() + $3 * interval '1 millisecond', updated_at = now()
      where j.job_id = any (array(
        select job_id from lost union all select job_id from due union all select job_id from others
      ))
      returning j.*, j.job_id not in (select job_id from others) as is_first,
        exists (select from lost) and j.attempts >= j.max_attempts as is_exhausted
    ), begun as (
      insert into job_attempt (job_id, started_at, worker_id, progress_unit)
      select job_id, now(), $1, 'chunks' from claimed returning attempt_id, job_id
    )
    select c.job_id as "jobId", job_type as "jobType", attempt_id as "attemptId", c.owner_id as "ownerId",
      space_id as "spaceId", memory_id as "memoryId", least(attempts + 1, max_attempts) as attempts,
      max_attempts as "maxAttempts",
      is_exhausted as "isExhausted", away_since as "unavailableSince", away_attempts as "unavailableAttempts",
      give_up_after_minutes as "giveUpAfterMinutes", lease_token as "leaseToken"
    from claimed c join begun using (job_id) join space using (space_id)
    order by is_first desc, c.job_id`,
});
/** Sorts before every owner id. */
const BEFORE_ALL_OWNERS = '00000000-0000-0000-0000-000000000000';

export interface Claim {
  /** As the history shows it. */
  workerId: string;
  leaseToken: string;
  leaseMs: number;
  /** The owner of the first job of the last claim: the search starts after it. Undefined starts with the first owner. */
  after?: string | undefined;
  /** Jobs that this process is working on. They are not lost, even if the database was too slow to renew a lease. */
  running?: readonly number[];
  /** Whether jobs whose lease has expired are claimed too. Default true. */
  takesLost?: boolean;
  /** How many small jobs may come together, 1 by default, and up to how many bytes of content a job is small. */
  most?: number;
  smallBytes?: number;
}

/** The next job, and others with it only if all are small; empty when no job is due. */
export function claimJobs(q: Queryable, claim: Claim, options?: StatementOptions): Promise<ClaimedJob[]> {
  const { workerId, leaseToken, leaseMs, after = BEFORE_ALL_OWNERS, running = [], takesLost = true } = claim;
  const { most = 1, smallBytes = 0 } = claim;
  const values = [workerId, leaseToken, leaseMs, after, running, takesLost, smallBytes, most];
  return q.query<ClaimedJob>(CLAIM, values, options);
}
