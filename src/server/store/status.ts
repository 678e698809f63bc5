import type { CallOptions, Queryable } from './db.ts';
import { statement } from './statement.ts';

/** Up to here rows are counted; beyond, a count would cost more than it tells. */
const EXACT_LIMIT = 50_000;

export interface CountOptions extends CallOptions {
  /** How many rows are counted instead of estimated; 50,000 unless told. */
  readonly exactLimit?: number;
}

export type StoredCounts = Record<'users' | 'spaces' | 'memories', number>;

export type JobCounts = Record<'PENDING' | 'RUNNING' | 'FAILED', number>;

/** What is counted: the name of the figure, and the rows. */
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

/** Each reads at most that many rows: tables from their beginning, jobs that wait or run through their partial index. */
const COUNT = statement({
  name: 'status.count',
  purpose: 'How many users, spaces, memories and unfinished jobs there are, each up to a limit',
  text: `select (${countOf('users')}) as users, (${countOf('spaces')}) as spaces, (${countOf('memories')}) as memories,
    (${countOf('jobs')}) as jobs, (${countOf('PENDING')}) as "PENDING", (${countOf('RUNNING')}) as "RUNNING"`,
});
const COUNT_FAILED = statement({
  name: 'status.count_failed',
  purpose: 'How many jobs have failed for good',
  text: `select count(*) from ${SOURCES.FAILED}`,
});

type CountRow = Record<Exclude<Source, 'FAILED'>, number>;

/**
 * How many rows there are: exact up to 50,000, beyond that the planner's estimate from the size of the table and its last
 * analysis. No index leads to failed jobs alone, so they are estimated as soon as there are that many jobs of any kind. For the metrics, which wait for nobody and look seldom, `job-counts.ts`
 * counts every job.
 */
export async function selectCounts(
  q: Queryable,
  { exactLimit = EXACT_LIMIT, ...options }: CountOptions = {},
): Promise<{ counts: StoredCounts; jobs: JobCounts }> {
  const [row] = await q.query<CountRow>(COUNT, [exactLimit + 1], options);
  if (row === undefined) throw new Error('counting returned no row');
  const count = async (source: Exclude<Source, 'FAILED'>) =>
    row[source] <= exactLimit ? row[source] : Math.max(row[source], await estimate(q, source, options));
  const [users, spaces, memories] = [await count('users'), await count('spaces'), await count('memories')];
  const [PENDING, RUNNING] = [await count('PENDING'), await count('RUNNING')];
  const FAILED = row.jobs <= exactLimit ? await countFailed(q, options) : await estimate(q, 'FAILED', options);
  return { counts: { users, spaces, memories }, jobs: { PENDING, RUNNING, FAILED } };
}

async function countFailed(q: Queryable, options?: CallOptions): Promise<number> {
  const [row] = await q.query<{ count: number }>(COUNT_FAILED, [], options);
  return row?.count ?? 0;
}

interface Explained {
  'QUERY PLAN': readonly [{ Plan: { 'Plan Rows': number } }];
}

async function estimate(q: Queryable, source: Source, options?: CallOptions): Promise<number> {
  const text = `explain (format json) select from ${SOURCES[source]}`;
  const [row] = await q.query<Explained>({ name: `status.estimate_${source}`, text, prepare: false }, [], options);
  return row?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}
