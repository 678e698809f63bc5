import type { Queryable, StatementOptions } from './db.ts';
import { statement } from './statement.ts';
import type { SpaceVectors, VectorsKey } from './vector-layout.ts';
import { FIRST_POSITION, LOCK_TIMEOUT, type MovePosition } from './vector-promotion.ts';
import { segmentIndex, segmentTable } from './vector-tables.ts';

const LOCK_ROW = statement({
  name: 'vector_merge.lock_row',
  purpose: 'Waits for the deletions that have learned of the segments that are about to be replaced',
  text: `select from space_embedder where space_id = $1 and embedder_id = $2 and layout_version = $3 for update`,
});
const REPLACE = statement({
  name: 'vector_merge.replace',
  purpose: 'Lets a segment take the place of those whose copies it has',
  text: `update space_embedder set layout_version = layout_version + 1, segments = (
      select jsonb_agg(case when segment -> 'number' = to_jsonb($3::int4)
          then segment - 'replaces' || '{"state": "INDEXED"}' else segment end order by place)
      from jsonb_array_elements(segments) with ordinality as item (segment, place)
      where (segment ->> 'number')::int4 <> all ($4::int4[])
    )
    where space_id = $1 and embedder_id = $2`,
});
const HAS_INDEX = statement({
  name: 'vector_merge.has_index',
  purpose: 'Whether the index of a segment exists and is valid',
  text: `select exists (select from pg_index where indexrelid = to_regclass($1) and indisvalid) as "hasIndex"`,
});
const ROWS = statement({
  name: 'vector_merge.rows',
  purpose: 'How many rows of a segment are alive, and how many deleted ones an index still leads to',
  text: `select pg_stat_get_live_tuples(oid) as alive, pg_stat_get_dead_tuples(oid) as dead
    from pg_class where oid = to_regclass($1)`,
});

/** About how many rows of a segment are alive, and how many are deleted and still in its index. */
export async function estimateRows(
  q: Queryable,
  key: VectorsKey,
  number: number,
  options?: StatementOptions,
): Promise<{ alive: number; dead: number }> {
  const [row] = await q.query<{ alive: number; dead: number }>(ROWS, [segmentTable(key, number)], options);
  return row ?? { alive: 0, dead: 0 };
}

export async function hasValidIndex(
  q: Queryable,
  key: VectorsKey,
  number: number,
  options?: StatementOptions,
): Promise<boolean> {
  const [row] = await q.query<{ hasIndex: boolean }>(HAS_INDEX, [segmentIndex(key, number)], options);
  return row?.hasIndex === true;
}

/**
 * Copies up to `limit` vectors from one segment to another, those after the position `after`, except for those that are
 * there already. Returns how many it has looked at, how many memories it has skipped because another transaction has locked
 * them, and the position of the last. Looks at none when the layout has changed.
 *
 * The memories are locked as in a move: until then their vectors cannot be deleted, and a later deletion knows of the
 * copies. The vectors are locked too, since one that was deleted a moment before the memory was locked is still seen.
 * Vectors without a memory are not copied: a server of before schema 8 has left them.
 */
export async function copyVectors(
  q: Queryable,
  { spaceId, embedderId, layout }: SpaceVectors,
  {
    from,
    to,
    after = FIRST_POSITION,
    limit,
  }: { from: number; to: number; after: MovePosition | undefined; limit: number },
  options?: StatementOptions,
): Promise<{ seen: number; skipped: number; last: MovePosition | undefined }> {
  const key = { spaceId, embedderId };
  const text = `with batch as materialized (
      select ctid as place, memory_id, sequence from ${segmentTable(key, from)}
      where space_id = $1 and indexed and (memory_id, sequence) > ($2, $3) and exists (
        select from space_embedder where space_id = $1 and embedder_id = $5 and layout_version = $6
      ) order by memory_id, sequence limit $4
    ), held as materialized (
      select memory_id from memory where space_id = $1 and memory_id = any (array(select memory_id from batch))
      for share skip locked
    ), source as materialized (
      select memory_id, sequence, embedding from ${segmentTable(key, from)}
      where ctid = any (array(select place from batch join held using (memory_id)))
      for key share
    ), copied as (
      insert into ${segmentTable(key, to)} (space_id, indexed, memory_id, sequence, embedding)
      select $1, true, memory_id, sequence, embedding from source on conflict do nothing
    )
    select memory_id as "memoryId", sequence, (select count(*) from batch) as seen, (
        select count(*) from (
          select memory_id from memory where space_id = $1 and memory_id = any (array(select memory_id from batch))
          except select memory_id from held
        ) locked
      ) as skipped
    from batch order by memory_id desc, sequence desc limit 1`;
  const values = [spaceId, after.memoryId, after.sequence, limit, embedderId, layout.version];
  const statement = { name: 'vector_merge.copy', text, prepare: false } as const;
  const [row] = await q.query<MovePosition & { seen: number; skipped: number }>(statement, values, options);
  if (row === undefined) return { seen: 0, skipped: 0, last: undefined };
  const { memoryId, sequence, seen, skipped } = row;
  return { seen, skipped, last: { memoryId, sequence } };
}

/**
 * Lets a segment take the place of those whose copies it has, in the transaction `tx`. Fails with a conflict while deletions
 * run that have learned of them; none of those that come later does. False when the layout has changed.
 */
export async function replaceSegments(
  tx: Queryable,
  { spaceId, embedderId, layout }: SpaceVectors,
  { number, replaces }: { number: number; replaces: readonly number[] },
  options?: StatementOptions,
): Promise<boolean> {
  await tx.script(`set local lock_timeout to '${LOCK_TIMEOUT}'`, options);
  const rows = await tx.query(LOCK_ROW, [spaceId, embedderId, layout.version], options);
  if (rows.length === 0) return false;
  return (await tx.execute(REPLACE, [spaceId, embedderId, number, replaces], options)) === 1;
}
