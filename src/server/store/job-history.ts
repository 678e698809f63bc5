import type { Queryable, StatementOptions } from './db.ts';
import { statement } from './statement.ts';

export type JobStatus = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELED';

export interface JobRow {
  memoryId: string;
  jobId: number;
  jobType: string;
  status: JobStatus;
  attempts: number;
  maxAttempts: number;
  runAt: number;
  leaseUntil: number | null;
  lockedBy: string | null;
  lastError: string | null;
  updatedAt: number;
}

export interface AttemptRow {
  memoryId: string;
  attemptId: number;
  jobId: number;
  startedAt: number;
  finishedAt: number | null;
  /** Null while running. */
  ok: boolean | null;
  workerId: string;
  statusMessage: string | null;
  progressCurrent: number;
  progressTotal: number | null;
  progressUnit: string | null;
  progressUpdatedAt: number | null;
  errorMessage: string | null;
  errorStacktrace: string | null;
}

const SELECT_LATEST = statement({
  name: 'job_history.select_latest',
  purpose: 'The newest job of each memory',
  text: `select j.memory_id as "memoryId", j.job_id as "jobId", j.job_type as "jobType", j.status, j.attempts,
      j.max_attempts as "maxAttempts", j.run_at as "runAt", j.lease_until as "leaseUntil", j.locked_by as "lockedBy",
      j.last_error as "lastError", j.updated_at as "updatedAt"
    from unnest($1::uuid[], $2::uuid[]) as wanted (space_id, memory_id)
    cross join lateral (
      select * from job where job.space_id = wanted.space_id and job.memory_id = wanted.memory_id
      order by job_id desc limit 1
    ) j`,
});
const SELECT_ATTEMPTS = statement({
  name: 'job_history.select_attempts',
  purpose: 'All attempts at memories, newest first',
  text: `select j.memory_id as "memoryId", a.attempt_id as "attemptId", a.job_id as "jobId",
      a.started_at as "startedAt", a.finished_at as "finishedAt", a.ok, a.worker_id as "workerId",
      a.status_message as "statusMessage", a.progress_current as "progressCurrent",
      a.progress_total as "progressTotal", a.progress_unit as "progressUnit",
      a.progress_updated_at as "progressUpdatedAt", a.error_message as "errorMessage",
      a.error_stacktrace as "errorStacktrace"
    from unnest($1::uuid[], $2::uuid[]) as wanted (space_id, memory_id)
    join job j on j.space_id = wanted.space_id and j.memory_id = wanted.memory_id
    join job_attempt a on a.job_id = j.job_id
    order by a.attempt_id desc`,
});

type MemoryKeys = readonly { spaceId: string; memoryId: string }[];

const valuesOf = (keys: MemoryKeys) => [keys.map(({ spaceId }) => spaceId), keys.map(({ memoryId }) => memoryId)];

/** The newest job of each of these memories, in no particular order. */
export function selectLatestJobs(q: Queryable, keys: MemoryKeys, options?: StatementOptions): Promise<JobRow[]> {
  return q.query<JobRow>(SELECT_LATEST, valuesOf(keys), options);
}

/** All attempts of all jobs of these memories, newest first. */
export function selectAttempts(q: Queryable, keys: MemoryKeys, options?: StatementOptions): Promise<AttemptRow[]> {
  return q.query<AttemptRow>(SELECT_ATTEMPTS, valuesOf(keys), options);
}
