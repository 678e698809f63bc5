import type { Queryable, StatementOptions } from './db.ts';
import { statement } from './statement.ts';

/** A window of time that begins at a multiple of its length since 1970. */
export interface RateWindow {
  /** Unix seconds. */
  endsAt: number;
  seconds: number;
}

/** Requests of one subject that are not yet counted in the database; 0 only reads the total. */
export interface NewRequests {
  subject: string;
  requests: number;
}

export interface RequestTotal {
  subject: string;
  /** Of all servers. */
  requests: number;
  /** The database's clock, in epoch milliseconds. */
  clock: number;
}

/** Rows are locked in one order, so that servers cannot deadlock. */
const EXCHANGE = statement({
  name: 'rate_limits.exchange',
  purpose: 'Adds the requests counted by this server and returns the totals of all servers',
  text: `with given as (
      select * from unnest($1::text[], $2::int8[]) as given (subject, requests)
    ), added as (
      insert into rate_limit_count as total (subject, ends_at, window_s, requests)
      select subject, $3, $4, requests from given where requests > 0 order by subject collate "C"
      on conflict (subject, ends_at, window_s) do update set requests = total.requests + excluded.requests
      returning subject, requests
    )
    select subject, coalesce(added.requests, known.requests, 0) as requests,
      extract(epoch from clock_timestamp())::float8 * 1000 as clock
    from given left join added using (subject)
      left join (select subject, requests from rate_limit_count where ends_at = $3 and window_s = $4) as known
      using (subject)`,
});
const FORGET = statement({
  name: 'rate_limits.forget',
  purpose: 'Resets all counts',
  text: 'delete from rate_limit_count',
});
const SWEEP = statement({
  name: 'rate_limits.sweep',
  purpose: 'Removes counts of windows that have ended',
  text: `delete from rate_limit_count where (subject, ends_at, window_s) in (
      select subject, ends_at, window_s from rate_limit_count where ends_at < $1 limit $2 for update skip locked
    )`,
});

/** Adds the new requests to the totals of a window and returns the total of each given subject. */
export function exchangeRequests(
  q: Queryable,
  { endsAt, seconds }: RateWindow,
  given: readonly NewRequests[],
  options?: StatementOptions,
): Promise<RequestTotal[]> {
  const subjects = given.map(({ subject }) => subject);
  const requests = given.map((entry) => entry.requests);
  return q.query<RequestTotal>(EXCHANGE, [subjects, requests, endsAt, seconds], options);
}

/** Resets the counts of all subjects. */
export async function forgetRequests(q: Queryable, options?: StatementOptions): Promise<void> {
  await q.execute(FORGET, [], options);
}

/** Deletes up to `limit` counts of windows that ended before `endedBefore` (Unix seconds). */
export async function sweepRequests(
  q: Queryable,
  { endedBefore, limit }: { endedBefore: number; limit: number },
  options?: StatementOptions,
): Promise<number> {
  return q.execute(SWEEP, [endedBefore, limit], options);
}
