import type { Queryable, StatementOptions } from './db.ts';
import type { JobStatus } from './job-history.ts';
import { statement } from './statement.ts';

export type FinishedJobStatus = Exclude<JobStatus, 'PENDING' | 'RUNNING'>;

/** The last job of a batch, after which the next batch starts. Opaque. */
export interface PurgePosition {
  updatedAt: Date;
  jobId: number;
}

interface PurgeBatch {
  /** Jobs that ended before this moment. */
  before: Date;
  statuses: readonly FinishedJobStatus[];
  /** Undefined starts with the oldest. */
  after: PurgePosition | undefined;
  /** Jobs at most. */
  limit: number;
  /** Only counts. */
  dryRun: boolean;
}

interface PurgedJobs {
  jobs: number;
  attempts: number;
  /** Jobs among them whose memory still exists. */
  references: number;
  /** Undefined when there were no jobs. */
  last: PurgePosition | undefined;
}

/**
 * `skip locked` passes over the jobs of a concurrent purge, so that two share the work without waiting. Memories are not
 * locked, since all other code locks them before jobs. PostgreSQL checks the condition again when it locks a job whose
 * status changed in the meantime.
 */
const doomed = (lock: string) => `select j.job_id, j.space_id, j.memory_id, j.updated_at from job j
      where j.status in ('SUCCEEDED', 'FAILED', 'CANCELED') and j.status = any($1) and j.updated_at < $2
        and (j.updated_at, j.job_id) > ($3, $4)
        and not exists (
          select from memory m where m.space_id = j.space_id and m.memory_id = j.memory_id
            and m.processing_status in ('PENDING', 'PROCESSING')
        )
      order by j.updated_at, j.job_id limit $5 ${lock}`;
const references = `(select count(*) from doomed d
      where exists (select from memory m where m.space_id = d.space_id and m.memory_id = d.memory_id))`;
const last = `(select updated_at from doomed order by updated_at desc, job_id desc limit 1) as "updatedAt",
      (select job_id from doomed order by updated_at desc, job_id desc limit 1) as "jobId"`;

const PURGE = statement({
  name: 'job_purge.purge',
  purpose: 'Removes a batch of finished jobs with their attempts',
  text: `with doomed as materialized (${doomed('for update of j skip locked')}), attempts as (
      delete from job_attempt a using doomed d where a.job_id = d.job_id returning a.attempt_id
    ), gone as (
      delete from job j using doomed d where j.job_id = d.job_id returning j.job_id
    )
    select (select count(*) from gone) as jobs, (select count(*) from attempts) as attempts,
      ${references} as references, ${last}`,
});
const COUNT = statement({
  name: 'job_purge.count',
  purpose: 'Counts what a purge would remove',
  text: `with doomed as materialized (${doomed('')})
    select (select count(*) from doomed) as jobs,
      (select count(*) from job_attempt a join doomed d using (job_id)) as attempts,
      ${references} as references, ${last}`,
});

interface PurgeRow {
  jobs: number;
  attempts: number;
  references: number;
  updatedAt: number | null;
  jobId: number | null;
}

/**
 * Deletes a batch of finished jobs and their attempts, oldest first. Jobs of a memory that is PENDING or PROCESSING are
 * kept.
 */
export async function purgeFinishedJobs(
  q: Queryable,
  { before, statuses, after, limit, dryRun }: PurgeBatch,
  options?: StatementOptions,
): Promise<PurgedJobs> {
  const values = [statuses, before, after?.updatedAt ?? new Date(0), after?.jobId ?? 0, limit];
  const [row] = await q.query<PurgeRow>(dryRun ? COUNT : PURGE, values, options);
  if (row === undefined) return { jobs: 0, attempts: 0, references: 0, last: undefined };
  const { jobs, attempts, references, updatedAt, jobId } = row;
  const last = updatedAt === null || jobId === null ? undefined : { updatedAt: new Date(updatedAt), jobId };
  return { jobs, attempts, references, last };
}
