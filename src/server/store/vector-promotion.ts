import type { Queryable, StatementOptions } from './db.ts';
import { statement } from './statement.ts';
import { layoutColumn, type SpaceVectors, type VectorSegment, type VectorsKey } from './vector-layout.ts';
import { SEGMENT_PATTERN, segmentIndex, segmentTable, sharedPartition, signsOf, vectorTable } from './vector-tables.ts';

/** The most dimensions that an HNSW index on halfvec supports; one on their signs supports all that an embedder may have. */
const MAX_INDEXED_DIMENSIONS = 4000;

/** Other sessions queue behind a lock that this task waits for, so it waits no longer and tries again. */
export const LOCK_TIMEOUT = '50ms';

/** A space with enough vectors of one embedder for a segment, or with one. */
export interface GrownSpace extends SpaceVectors {
  vectorCount: number;
  /** The highest number of a segment so far. */
  lastSegment: number;
  /** Where the indexes of its next segments are to have signs only: how many. */
  bits?: number;
}

const SELECT_GROWN = statement({
  name: 'vector_promotion.select_grown',
  purpose: 'Spaces that have segments of their own or enough vectors for one',
  text: `select e.space_id as "spaceId", e.embedder_id as "embedderId", e.vector_count as "vectorCount",
      e.last_segment as "lastSegment", ${layoutColumn('e')},
      case s.vector_quantization when 'BINARY' then embedder.dimensionality end as bits
    from space_embedder e join embedder using (embedder_id) join space s using (space_id)
    where (e.segments <> '[]' or e.vector_count > $1)
      and (embedder.dimensionality <= $2 or s.vector_quantization = 'BINARY')
    order by e.vector_count desc`,
});
const SELECT_TABLES = statement({
  name: 'vector_promotion.select_tables',
  purpose: 'The tables of all segments, also of those that are no longer in use',
  text: `select relname as name from pg_class
    where relname ~ $1 and relkind = 'r' and relnamespace = current_schema()::regnamespace`,
});
const ADD = statement({
  name: 'vector_promotion.add',
  purpose: 'Adds a segment to those of a space',
  text: `update space_embedder set layout_version = layout_version + 1, last_segment = $4, own_partition = true,
      segments = segments || jsonb_build_array($5::jsonb || jsonb_build_object('number', $4::int4))
    where space_id = $1 and embedder_id = $2 and layout_version = $3`,
});
const MARK = statement({
  name: 'vector_promotion.mark',
  purpose: 'Records how far a segment has come',
  text: `update space_embedder set layout_version = layout_version + 1, segments = (
      select jsonb_agg(case when segment -> 'number' = to_jsonb($4::int4)
          then segment || jsonb_build_object('state', $5::text) else segment end order by place)
      from jsonb_array_elements(segments) with ordinality as item (segment, place)
    )
    where space_id = $1 and embedder_id = $2 and layout_version = $3`,
});
const TRY_LOCK = statement({
  name: 'vector_promotion.try_lock',
  purpose: 'Takes the lock that lets one server at a time work on the segments of a space',
  text: 'select pg_try_advisory_lock(hashtextextended($1, 0)) as "isLocked"',
});
const UNLOCK = statement({
  name: 'vector_promotion.unlock',
  purpose: 'Releases the lock on the segments of a space',
  text: 'select pg_advisory_unlock(hashtextextended($1, 0))',
});

/** Spaces with more than `moreThan` vectors of an embedder, and those that have segments; largest first. */
export async function selectGrownSpaces(
  q: Queryable,
  moreThan: number,
  options?: StatementOptions,
): Promise<GrownSpace[]> {
  const values = [moreThan, MAX_INDEXED_DIMENSIONS];
  const rows = await q.query<GrownSpace & { bits: number | null }>(SELECT_GROWN, values, options);
  return rows.map(({ bits, ...space }) => (bits === null ? space : { ...space, bits }));
}

/** The names of the tables of all segments, including those that no space has any more. */
export async function selectSegmentTables(q: Queryable, options?: StatementOptions): Promise<string[]> {
  const rows = await q.query<{ name: string }>(SELECT_TABLES, [SEGMENT_PATTERN], options);
  return rows.map(({ name }) => name);
}

/** Drops the table of a segment that no space has any more. */
export async function dropSegmentTable(tx: Queryable, table: string, options?: StatementOptions): Promise<void> {
  await tx.script(`set local lock_timeout to '${LOCK_TIMEOUT}'; drop table if exists ${table}`, options);
}

/** Runs `work` while no other server works on the segments of this space; undefined when one does. */
export async function withSegmentLock<T>(
  session: Queryable,
  { spaceId, embedderId }: VectorsKey,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const values = [`svc.segments.${embedderId}.${spaceId}`];
  const [row] = await session.query<{ isLocked: boolean }>(TRY_LOCK, values);
  if (row?.isLocked !== true) return undefined;
  const result = await work();
  // After a failure the session is closed, which releases the lock too.
  await session.query(UNLOCK, values);
  return result;
}

/**
 * Creates a segment, in the transaction `tx`; it has no vectors yet. One with the state INDEXED gets its index at once.
 * False when the space was deleted or its layout has changed: `tx` should be rolled back then.
 */
export async function createSegment(
  tx: Queryable,
  { lastSegment, layout, bits, ...key }: GrownSpace,
  segment: Pick<VectorSegment, 'state' | 'replaces'>,
  options?: StatementOptions,
): Promise<boolean> {
  const number = lastSegment + 1;
  const table = segmentTable(key, number);
  // `like` copies the primary key and the storage of the vectors, and blocks no other session.
  await tx.script(
    `set local lock_timeout to '${LOCK_TIMEOUT}';
    create table ${table} (like ${vectorTable(key.embedderId)} including all, check (space_id = '${key.spaceId}'))`,
    options,
  );
  const added: Omit<VectorSegment, 'number'> = bits === undefined ? segment : { ...segment, bits };
  if (segment.state === 'INDEXED') await tx.script(indexSql(key, { ...added, number }, ''), options);
  return (
    (await tx.execute(ADD, [key.spaceId, key.embedderId, layout.version, number, JSON.stringify(added)], options)) === 1
  );
}

/** Records how far a segment has come. False when the space was deleted or its layout has changed. */
export async function markSegment(
  q: Queryable,
  { spaceId, embedderId, layout }: SpaceVectors,
  { number, state }: VectorSegment,
  options?: StatementOptions,
): Promise<boolean> {
  return (await q.execute(MARK, [spaceId, embedderId, layout.version, number, state], options)) === 1;
}

/**
 * Builds the index of a segment concurrently with reads and writes, in a session of its own and outside a transaction. An
 * aborted build leaves an invalid index, which the next one replaces.
 */
export async function buildSegmentIndex(
  session: Queryable,
  { number, bits, spaceId, embedderId }: VectorsKey & Pick<VectorSegment, 'number' | 'bits'>,
  { parallel, ...options }: { parallel: boolean } & StatementOptions,
): Promise<void> {
  const key = { spaceId, embedderId };
  const segment = bits === undefined ? { number } : { number, bits };
  if (!parallel) await session.script('set max_parallel_maintenance_workers to 0');
  // Concurrently too: otherwise searches of the space wait behind this, and this for the longest of them.
  await session.script(`drop index concurrently if exists ${segmentIndex(key, number)}`, options);
  await session.script(indexSql(key, segment, 'concurrently'), options);
  // After a failure the session is closed, and the setting with it.
  await session.script('reset max_parallel_maintenance_workers');
}

/** How many vectors of the space are in no segment, counted up to `atMost`. */
export async function countOutside(
  q: Queryable,
  { spaceId, embedderId }: VectorsKey,
  atMost: number,
  options?: StatementOptions,
): Promise<number> {
  const text = `select count(*) as outside from (
      select 1 from ${sharedPartition(embedderId)} where space_id = $1 and not indexed limit $2
    ) counted`;
  const statement = { name: 'vector_promotion.count_outside', text, prepare: false } as const;
  const [row] = await q.query<{ outside: number }>(statement, [spaceId, atMost], options);
  return row?.outside ?? 0;
}

/** Where a pass over the vectors of a space stands: the last one that it has looked at. */
export interface MovePosition {
  memoryId: string;
  sequence: number;
}

/**
 * Moves up to `limit` vectors from the shared partition into a segment, those after the position `after`. Returns how many
 * it has looked at and moved, and the position of the last. Looks at none when the layout has changed.
 *
 * A deletion locks the memories of its vectors first. The memories of the moved ones are locked too, so that a deletion waits
 * for the end of the call and then finds them where they are; a memory that is locked already is skipped, for the next pass.
 * The time of a call does not depend on how many there are: vectors are found by the primary key, from the position on, and
 * everything else by arrays, since a join might be planned as a scan of whole tables.
 */
export async function moveVectors(
  q: Queryable,
  { spaceId, embedderId, layout }: SpaceVectors,
  { number, after = FIRST_POSITION, limit }: { number: number; after: MovePosition | undefined; limit: number },
  options?: StatementOptions,
): Promise<{ seen: number; moved: number; last: MovePosition | undefined }> {
  const shared = sharedPartition(embedderId);
  const text = `with batch as materialized (
      select ctid as place, memory_id, sequence from ${shared}
      where space_id = $1 and not indexed and (memory_id, sequence) > ($2, $3) and exists (
        select from space_embedder where space_id = $1 and embedder_id = $5 and layout_version = $6
      ) order by memory_id, sequence limit $4
    ), held as materialized (
      select memory_id from memory where space_id = $1 and memory_id = any (array(select memory_id from batch))
      for share skip locked
    ), moved as (
      delete from ${shared} where ctid = any (array(select place from batch join held using (memory_id)))
      returning memory_id, sequence, embedding
    ), stored as (
      insert into ${segmentTable({ spaceId, embedderId }, number)} (space_id, indexed, memory_id, sequence, embedding)
      select $1, true, memory_id, sequence, embedding from moved returning 1
    )
    select memory_id as "memoryId", sequence, (select count(*) from batch) as seen,
      (select count(*) from stored) as moved
    from batch order by memory_id desc, sequence desc limit 1`;
  const values = [spaceId, after.memoryId, after.sequence, limit, embedderId, layout.version];
  const statement = { name: 'vector_promotion.move', text, prepare: false } as const;
  const [row] = await q.query<MovePosition & { seen: number; moved: number }>(statement, values, options);
  if (row === undefined) return { seen: 0, moved: 0, last: undefined };
  const { memoryId, sequence, seen, moved } = row;
  return { seen, moved, last: { memoryId, sequence } };
}

/** Before all vectors. */
export const FIRST_POSITION: MovePosition = { memoryId: '00000000-0000-0000-0000-000000000000', sequence: -1 };

/** Frees the room of moved vectors, which a scan would step over, and counts anew what is left, outside a transaction. */
export async function vacuumShared(session: Queryable, embedderId: string, options?: StatementOptions): Promise<void> {
  await session.script(`vacuum (analyze, skip_locked) ${sharedPartition(embedderId)}`, options);
}

function indexSql(
  key: VectorsKey,
  { number, bits }: Pick<VectorSegment, 'number' | 'bits'>,
  how: 'concurrently' | '',
): string {
  const indexed = bits === undefined ? 'embedding halfvec_ip_ops' : `(${signsOf('embedding', bits)}) bit_hamming_ops`;
  return `create index ${how} ${segmentIndex(key, number)} on ${segmentTable(key, number)}
    using hnsw (${indexed}) with (m = 16, ef_construction = 64)`;
}
