import type { Queryable, StatementOptions } from './db.ts';
import { statement } from './statement.ts';

export interface DatabaseFacts {
  /** e.g. `17.5`. */
  version: string;
  /** A standby takes no writes. */
  isStandby: boolean;
  /** Of the vector extension in this database, e.g. `0.8.1`. */
  vectorVersion: string;
  /** The version that the database server would install. */
  vectorAvailable: string;
  /** Of this database. */
  sizeBytes: number;
}

export interface IndexFacts {
  total: number;
  /** Indexes that queries cannot use and that are not being built. */
  invalid: { name: string; method: string }[];
  /** Segments of large spaces that have no index yet or are being merged. */
  unfinished: number;
}

export interface JobFacts {
  /** Jobs whose lease has expired and that no worker has claimed for this long. */
  stuck: number;
  /** The wait of the job that has been due longest, in milliseconds; 0 when none is due. */
  waitingMs: number;
  /** Memories that became FAILED within the given time and still are; counted up to a limit. */
  failed: number;
  /** The most frequent reason. */
  failureReason: string | null;
  /** How many of them failed for that reason. */
  failedAlike: number;
}

const FACTS = statement({
  name: 'diagnosis.facts',
  purpose: 'Versions of PostgreSQL and pgvector, and the role and size of the database',
  text: `select split_part(current_setting('server_version'), ' ', 1) as version, pg_is_in_recovery() as "isStandby",
      e.extversion as "vectorVersion", a.default_version as "vectorAvailable",
      pg_database_size(current_database()) as "sizeBytes"
    from pg_extension e join pg_available_extensions a on a.name = e.extname where e.extname = 'vector'`,
});
const CLOCK = statement({
  name: 'diagnosis.clock',
  purpose: "The clock of the database, to compare it with the server's clock",
  text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"',
});
const INDEXES = statement({
  name: 'diagnosis.indexes',
  purpose: 'Invalid indexes, without those that are being built, and how many segments of spaces are unfinished',
  text: `with own as (
      select i.indexrelid, c.relname as name, a.amname as method, i.indisvalid and i.indisready as is_usable
      from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
      where c.relnamespace = current_schema()::regnamespace
    )
    select count(*) as total, coalesce(json_agg(json_build_object('name', name, 'method', method) order by name) filter (
        where not is_usable
          and not exists (
            select from pg_stat_progress_create_index p
            where p.datname = current_database() and p.index_relid = own.indexrelid
          )
      ), '[]') as invalid, (
        select count(*) from space_embedder, jsonb_array_elements(segments) segment
        where segment ->> 'state' <> 'INDEXED'
      ) as unfinished
    from own`,
});
/** Enough to find the most frequent reason, and read in about 20 ms. */
const MOST_FAILED = 10_000;
const JOBS = statement({
  name: 'diagnosis.jobs',
  purpose: 'Stuck jobs, how long due jobs wait, and why memories have failed recently',
  text: `with failed as (
      select failure_reason as reason from memory
      where processing_status = 'FAILED' and updated_at > now() - $2 * interval '1 millisecond'
      order by updated_at desc limit ${MOST_FAILED}
    ), commonest as (
      select reason, count(*) as count from failed group by reason order by count desc, reason limit 1
    )
    select (
      select count(*) from job where status = 'RUNNING' and lease_until < now() - $1 * interval '1 millisecond'
    ) as stuck, coalesce((
      select extract(epoch from now() - run_at) * 1000 from job where status = 'PENDING' and run_at <= now()
      order by run_at limit 1
    ), 0)::float8 as "waitingMs", (select count(*) from failed) as failed,
      (select reason from commonest) as "failureReason",
      coalesce((select count from commonest), 0) as "failedAlike"`,
});

async function one<Row extends object>(rows: Promise<Row[]>): Promise<Row> {
  const [row] = await rows;
  if (row === undefined) throw new Error('a diagnosis query returned no row');
  return row;
}

export function selectDatabaseFacts(q: Queryable, options?: StatementOptions): Promise<DatabaseFacts> {
  return one(q.query<DatabaseFacts>(FACTS, [], options));
}

/** The clock of the database in epoch milliseconds, with fractions. */
export async function selectDatabaseClock(q: Queryable, options?: StatementOptions): Promise<number> {
  return (await one(q.query<{ nowMs: number }>(CLOCK, [], options))).nowMs;
}

export function selectIndexFacts(q: Queryable, options?: StatementOptions): Promise<IndexFacts> {
  return one(q.query<IndexFacts>(INDEXES, [], options));
}

export function selectJobFacts(
  q: Queryable,
  { stuckMs, failedWithinMs }: { stuckMs: number; failedWithinMs: number },
  options?: StatementOptions,
): Promise<JobFacts> {
  return one(q.query<JobFacts>(JOBS, [stuckMs, failedWithinMs], options));
}
