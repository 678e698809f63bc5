import type { Queryable, StatementOptions } from './db.ts';
import { isUnexpired } from './memory-row.ts';
import { statement } from './statement.ts';

export interface SpaceStatisticsRow {
  spaceId: string;
  memoryCount: number;
  /** Bytes. */
  contentBytes: number;
}

/**
 * An index-only scan where the table was vacuumed: 100,000 memories in 25 ms. Memories written since then are read from the
 * table: 0.12 s when that is all of them.
 */
const SELECT = statement({
  name: 'space_statistics.select',
  purpose: 'How many memories spaces hold, and how many bytes',
  text: `select m.space_id as "spaceId", count(*) as "memoryCount", sum(m.content_length)::bigint as "contentBytes"
    from memory m where m.space_id = any($1::uuid[]) and ${isUnexpired('m')} group by m.space_id`,
});

/** What these spaces hold, in no particular order; those without memories are left out. */
export function selectSpaceStatistics(
  q: Queryable,
  spaceIds: readonly string[],
  options?: StatementOptions,
): Promise<SpaceStatisticsRow[]> {
  return q.query<SpaceStatisticsRow>(SELECT, [spaceIds], options);
}
