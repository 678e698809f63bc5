import type { Queryable, StatementOptions } from './db.ts';
import type { JobStatus } from './job-history.ts';
import { statement } from './statement.ts';

/** Rows are counted up to this number; beyond it an exact count is not worth its cost. */
const EXACT_LIMIT = 50_000;

interface CountOptions extends StatementOptions {
  /** Up to how many rows are counted instead of estimated; 50,000 by default. */
  readonly exactLimit?: number;
}

type StoredCounts = Record<'users' | 'spaces' | 'memories', number>;

type StatusJobCounts = Record<'PENDING' | 'RUNNING' | 'FAILED', number>;

/** What is counted: the name of the count, and its rows. */
const SOURCES = {
  users: 'app_user',
  spaces: 'space',
  memories: 'memory',
  jobs: 'job',
  PENDING: `job where status = 'PENDING'`,
  RUNNING: `job where status = 'RUNNING'`,
  FAILED: `job where status = 'FAILED'`,
} as const;
type Source = keyof typeof SOURCES;

const countOf = (source: Source) => `select count(*) from (select from ${SOURCES[source]} limit $1) counted`;

/** Each count reads at most $1 rows: tables from their start, PENDING and RUNNING jobs through their partial index. */
const COUNT_FOR_STATUS = statement({
  name: 'counts.status',
  purpose: 'How many users, spaces, memories and unfinished jobs there are, each up to a limit',
  text: `select (${countOf('users')}) as users, (${countOf('spaces')}) as spaces, (${countOf('memories')}) as memories,
    (${countOf('jobs')}) as jobs, (${countOf('PENDING')}) as "PENDING", (${countOf('RUNNING')}) as "RUNNING"`,
});
const COUNT_FAILED = statement({
  name: 'counts.failed_jobs',
  purpose: 'How many jobs have failed permanently',
  text: `select count(*) from ${SOURCES.FAILED}`,
});

type CountRow = Record<Exclude<Source, 'FAILED'>, number>;

/**
 * How many rows there are: exact up to 50,000, beyond that the planner's estimate from the size of the table and its last
 * ANALYZE. No index covers failed jobs alone, so they are estimated as soon as there are that many jobs of any status.
 */
export async function selectCounts(
  q: Queryable,
  { exactLimit = EXACT_LIMIT, ...options }: CountOptions = {},
): Promise<{ counts: StoredCounts; jobs: StatusJobCounts }> {
  const [row] = await q.query<CountRow>(COUNT_FOR_STATUS, [exactLimit + 1], options);
  if (row === undefined) throw new Error('counting returned no row');
  const count = async (source: Exclude<Source, 'FAILED'>) =>
    row[source] <= exactLimit ? row[source] : Math.max(row[source], await estimate(q, source, options));
  const [users, spaces, memories] = [await count('users'), await count('spaces'), await count('memories')];
  const [PENDING, RUNNING] = [await count('PENDING'), await count('RUNNING')];
  const FAILED = row.jobs <= exactLimit ? await countFailed(q, options) : await estimate(q, 'FAILED', options);
  return { counts: { users, spaces, memories }, jobs: { PENDING, RUNNING, FAILED } };
}

async function countFailed(q: Queryable, options?: StatementOptions): Promise<number> {
  const [row] = await q.query<{ count: number }>(COUNT_FAILED, [], options);
  return row?.count ?? 0;
}

interface Explained {
  'QUERY PLAN': readonly [{ Plan: { 'Plan Rows': number } }];
}

async function estimate(q: Queryable, source: Source, options?: StatementOptions): Promise<number> {
  const text = `explain (format json) select from ${SOURCES[source]}`;
  const [row] = await q.query<Explained>({ name: `counts.estimate_${source}`, text, prepare: false }, [], options);
  return row?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}

const COUNT_JOBS = statement({
  name: 'counts.jobs',
  purpose: 'How many jobs there are by status, for the metrics',
  text: `select status, count(*) as count,
      (extract(epoch from now() - min(created_at)) * 1000)::float8 as "oldestMs"
    from job group by status`,
});

export interface JobCounts {
  /** Jobs of each status, finished ones until they are purged. */
  counts: Record<JobStatus, number>;
  /** Age of the oldest PENDING job in milliseconds; 0 when there is none. */
  oldestPendingMs: number;
}

/** Exact counts of all jobs, for the metrics. Reads every job: about 0.2 µs each, 80 ms for half a million. */
export async function selectJobCounts(q: Queryable, options?: StatementOptions): Promise<JobCounts> {
  const rows = await q.query<{ status: JobStatus; count: number; oldestMs: number }>(COUNT_JOBS, [], options);
  const counts = { PENDING: 0, RUNNING: 0, SUCCEEDED: 0, FAILED: 0, CANCELED: 0 };
  for (const { status, count } of rows) counts[status] = count;
  const pending = rows.find(({ status }) => status === 'PENDING');
  return { counts, oldestPendingMs: Math.max(0, pending?.oldestMs ?? 0) };
}
