import type { Queryable, StatementOptions } from './db.ts';
import { statement } from './statement.ts';
import { sharedPartition, spacePartition, vectorTable } from './vector-tables.ts';

/** The most dimensions that an HNSW index on halfvec supports. */
const MAX_INDEXED_DIMENSIONS = 4000;

/** A space with enough vectors of one embedder for a partition of its own. */
export interface GrownSpace {
  spaceId: string;
  embedderId: string;
  vectorCount: number;
  ownPartition: boolean;
}

type VectorsKey = Pick<GrownSpace, 'spaceId' | 'embedderId'>;

/** `absent`: no index, or no partition; `invalid`: left by an aborted build, to be dropped. */
type IndexState = 'absent' | 'invalid' | 'valid';

/** Readers and writers hold their locks briefly. Waiting longer for one would block all later calls, which queue behind this lock. */
const LOCK_TIMEOUT = '2s';

const SELECT_GROWN = statement({
  name: 'vector_promotion.select_grown',
  purpose: 'Spaces that have their own partition or enough vectors for one',
  text: `select se.space_id as "spaceId", se.embedder_id as "embedderId", se.vector_count as "vectorCount",
      se.own_partition as "ownPartition"
    from space_embedder se join embedder e using (embedder_id)
    where (se.own_partition or se.vector_count > $1) and e.dimensionality <= $2
    order by se.vector_count desc`,
});
const LOCK_ROW = statement({
  name: 'vector_promotion.lock_row',
  purpose: 'Locks the counts of a space while its vectors move',
  text: `select own_partition as "ownPartition" from space_embedder
    where space_id = $1 and embedder_id = $2 for update`,
});
const MARK = statement({
  name: 'vector_promotion.mark',
  purpose: 'Records that the vectors of a space have a partition of their own',
  text: 'update space_embedder set own_partition = true where space_id = $1 and embedder_id = $2',
});
const INDEX_STATE = statement({
  name: 'vector_promotion.index_state',
  purpose: 'Whether the index of a partition exists and is valid',
  text: 'select i.indisvalid as "isValid" from pg_index i where i.indexrelid = to_regclass($1)',
});
const TRY_LOCK = statement({
  name: 'vector_promotion.try_lock',
  purpose: 'Takes the lock that lets one server at a time build the index of a space',
  text: 'select pg_try_advisory_lock(hashtextextended($1, 0)) as "isLocked"',
});
const UNLOCK = statement({
  name: 'vector_promotion.unlock',
  purpose: 'Releases the lock of an index build',
  text: 'select pg_advisory_unlock(hashtextextended($1, 0))',
});
const IS_WANTED = statement({
  name: 'vector_promotion.is_wanted',
  purpose: 'Whether another session waits for an exclusive lock on the partition that is being filled or indexed',
  text: `select exists (
      select from pg_locks
      where relation in (to_regclass($1), to_regclass($2)) and not granted and mode = 'AccessExclusiveLock'
    ) as "isWanted"`,
});

/** Spaces with more than `moreThan` vectors of an embedder, and those that have their own partition; largest first. */
export function selectGrownSpaces(q: Queryable, moreThan: number, options?: StatementOptions): Promise<GrownSpace[]> {
  return q.query<GrownSpace>(SELECT_GROWN, [moreThan, MAX_INDEXED_DIMENSIONS], options);
}

/**
 * Creates the space's own partition and moves its vectors there, in the transaction `tx`. `into` is the part that gets
 * them; new vectors are stored in `fresh` from then on. False when the space was deleted, or another server has already
 * created the partition.
 *
 * Locks are taken in the same order as by every writer: the shared partition, then the row of the counts. Attaching a
 * partition scans the shared one for rows that belong to the new one, so all reads and writes there wait for it.
 */
export async function moveToOwnPartition(tx: Queryable, key: VectorsKey, into: 'fresh' | 'hnsw'): Promise<boolean> {
  const { spaceId, embedderId } = key;
  const root = vectorTable(embedderId);
  const shared = sharedPartition(embedderId);
  const own = spacePartition(embedderId, spaceId);
  await tx.script(`set local lock_timeout to '${LOCK_TIMEOUT}'; lock table ${shared} in access exclusive mode`);
  const [row] = await tx.query<{ ownPartition: boolean }>(LOCK_ROW, [spaceId, embedderId]);
  if (row === undefined || row.ownPartition) return false;
  // The check avoids a scan of the new partition; `like` copies the primary key and the storage of the vectors.
  await tx.script(`
    create table ${own.table} (like ${root} including all, check (space_id = '${spaceId}')) partition by list (indexed);
    create table ${own.fresh} partition of ${own.table} for values in (false);
    create table ${own.hnsw} partition of ${own.table} for values in (true);
    with moved as (
      delete from ${shared} where space_id = '${spaceId}' returning memory_id, sequence, embedding
    ) insert into ${own[into]} (space_id, indexed, memory_id, sequence, embedding)
      select '${spaceId}', ${into === 'hnsw'}, memory_id, sequence, embedding from moved;
    alter table ${root} attach partition ${own.table} for values in ('${spaceId}')`);
  await tx.execute(MARK, [spaceId, embedderId]);
  return true;
}

export async function vectorIndexState(q: Queryable, key: VectorsKey, options?: StatementOptions): Promise<IndexState> {
  const { index } = spacePartition(key.embedderId, key.spaceId);
  const [row] = await q.query<{ isValid: boolean }>(INDEX_STATE, [index], options);
  if (row === undefined) return 'absent';
  return row.isValid ? 'valid' : 'invalid';
}

/** Creates the index without `concurrently`, for a part that is still empty. */
export async function createVectorIndex(q: Queryable, key: VectorsKey, options?: StatementOptions): Promise<void> {
  await q.script(indexSql(key, ''), options);
}

/**
 * Builds the index concurrently with reads and writes, in a session of its own and outside a transaction. An aborted build
 * leaves an invalid index, which the next one replaces. False when another server is building it.
 */
export async function buildVectorIndex(
  session: Queryable,
  key: VectorsKey,
  { parallel, ...options }: { parallel: boolean } & StatementOptions,
): Promise<boolean> {
  const { index } = spacePartition(key.embedderId, key.spaceId);
  const lock = `svc.index.${index}`;
  const [row] = await session.query<{ isLocked: boolean }>(TRY_LOCK, [lock]);
  if (row?.isLocked !== true) return false;
  try {
    if (!parallel) await session.script('set max_parallel_maintenance_workers to 0');
    await session.script(`drop index if exists ${index}`, options);
    await session.script(indexSql(key, 'concurrently'), options);
    return true;
  } finally {
    // Also after a failure: the lock and the setting belong to the session, which goes back to the pool.
    await Promise.all([session.script('reset max_parallel_maintenance_workers'), session.query(UNLOCK, [lock])]).catch(
      () => undefined,
    );
  }
}

/** Whether another session waits to drop or alter the partition of a space. */
export async function isPartitionWanted(q: Queryable, key: VectorsKey, options?: StatementOptions): Promise<boolean> {
  const own = spacePartition(key.embedderId, key.spaceId);
  const [row] = await q.query<{ isWanted: boolean }>(IS_WANTED, [own.table, own.hnsw], options);
  return row?.isWanted === true;
}

/** Where a pass over the unindexed vectors of a space stands: the last one that it has looked at. */
export interface MovePosition {
  memoryId: string;
  sequence: number;
}

/**
 * Moves up to `limit` vectors from the unindexed part into the indexed one, those after the position `after`. Returns how
 * many it has looked at and moved, and the position of the last.
 *
 * A deletion locks the memories of its vectors first. The memories of the moved ones are locked too, so that a deletion waits
 * for the end of the call and then finds them where they are; a memory that is locked already is skipped, for the next pass.
 * Rows are found by the primary key, from the position on, so the time of a call does not depend on the size of the part.
 */
export async function moveFreshVectors(
  q: Queryable,
  key: VectorsKey,
  { after, limit }: { after: MovePosition | undefined; limit: number },
  options?: StatementOptions,
): Promise<{ seen: number; moved: number; last: MovePosition | undefined }> {
  const { fresh, hnsw } = spacePartition(key.embedderId, key.spaceId);
  const text = `with batch as materialized (
      select memory_id, sequence from ${fresh}
      where space_id = $1 and not indexed and (memory_id, sequence) > ($2, $3) order by memory_id, sequence limit $4
    ), held as materialized (
      select memory_id from memory where space_id = $1 and memory_id in (select memory_id from batch)
      for share skip locked
    ), moved as (
      delete from ${fresh} v using batch b, held h
      where v.space_id = $1 and not v.indexed and v.memory_id = b.memory_id and v.sequence = b.sequence
        and h.memory_id = b.memory_id
      returning v.memory_id, v.sequence, v.embedding
    ), stored as (
      insert into ${hnsw} (space_id, indexed, memory_id, sequence, embedding)
      select $1, true, memory_id, sequence, embedding from moved returning 1
    )
    select memory_id as "memoryId", sequence, (select count(*) from batch) as seen,
      (select count(*) from stored) as moved
    from batch order by memory_id desc, sequence desc limit 1`;
  const values = [key.spaceId, after?.memoryId ?? BEFORE_ALL.memoryId, after?.sequence ?? BEFORE_ALL.sequence, limit];
  const statement = { name: 'vector_promotion.move_fresh', text, prepare: false } as const;
  const [row] = await q.query<MovePosition & { seen: number; moved: number }>(statement, values, options);
  if (row === undefined) return { seen: 0, moved: 0, last: undefined };
  const { memoryId, sequence, seen, moved } = row;
  return { seen, moved, last: { memoryId, sequence } };
}

const BEFORE_ALL: MovePosition = { memoryId: '00000000-0000-0000-0000-000000000000', sequence: -1 };

function indexSql({ embedderId, spaceId }: VectorsKey, how: 'concurrently' | ''): string {
  const { hnsw, index } = spacePartition(embedderId, spaceId);
  return `create index ${how} ${index} on ${hnsw} using hnsw (embedding halfvec_ip_ops)
    with (m = 16, ef_construction = 64)`;
}
