import type { Queryable, StatementOptions } from './db.ts';

/**
 * The names of the vector tables. Each embedder has a table of its own, since the dimension is part of a column's type:
 *
 *     vector_<e>                     partitioned by space_id; <e> = embedder id in 32 hexadecimal digits
 *       vector_<e>_shared            the default partition: all spaces that are scanned exactly
 *       vp_<e36>_<s36>               a large space, partitioned by `indexed`; ids in base 36, 25 digits each
 *         vp_<e36>_<s36>_fresh       indexed = false: scanned exactly
 *         vp_<e36>_<s36>_hnsw        indexed = true: searched through the HNSW index vp_<e36>_<s36>_index
 *
 * PostgreSQL truncates names to 63 bytes. Two UUIDs take 64 in hexadecimal and 50 in base 36, so names need no hash and
 * cannot collide; the longest, vp_…_fresh, has 60.
 */
interface SpacePartition {
  /** Partition of the embedder's table that holds the space. */
  table: string;
  /** Its part with `indexed = false`. */
  fresh: string;
  /** Its part with `indexed = true`. */
  hnsw: string;
  /** The index on `hnsw`. */
  index: string;
}

/** A row with more dimensions does not fit into a page of 8 kB, so its vector is stored out of line. */
const MAX_INLINE_DIMENSIONS = 4000;

export function vectorTable(embedderId: string): string {
  return `vector_${hexOf(embedderId)}`;
}

/** The default partition: spaces without a partition of their own. */
export function sharedPartition(embedderId: string): string {
  return `${vectorTable(embedderId)}_shared`;
}

/** The names for a space's own partition, whether it exists or not. */
export function spacePartition(embedderId: string, spaceId: string): SpacePartition {
  const table = `vp_${base36Of(embedderId)}_${base36Of(spaceId)}`;
  return { table, fresh: `${table}_fresh`, hnsw: `${table}_hnsw`, index: `${table}_index` };
}

/** Creates the table of an embedder, with its default partition. */
export async function createVectorTable(
  q: Queryable,
  embedder: { embedderId: string; dimensionality: number },
  options?: StatementOptions,
): Promise<void> {
  const { embedderId, dimensionality } = embedder;
  if (!Number.isInteger(dimensionality)) throw new RangeError(`not a number of dimensions: ${dimensionality}`);
  // Detoasting costs a lookup and a copy per row of an exact scan; compressing floats saves nothing.
  const storage = dimensionality <= MAX_INLINE_DIMENSIONS ? 'plain' : 'external';
  const table = vectorTable(embedderId);
  const sql = `create table ${table} (
      space_id uuid not null,
      indexed boolean not null default false,
      memory_id uuid not null,
      sequence integer not null,
      embedding halfvec(${dimensionality}) storage ${storage} not null,
      primary key (space_id, indexed, memory_id, sequence)
    ) partition by list (space_id);
    create table ${sharedPartition(embedderId)} partition of ${table} default`;
  await q.script(sql, options);
}

/** Drops the table of an embedder with all partitions and vectors. */
export async function dropVectorTable(q: Queryable, embedderId: string, options?: StatementOptions): Promise<void> {
  await q.script(`drop table if exists ${vectorTable(embedderId)}`, options);
}

/** Deletes the vectors that a space has in the shared partition. */
export async function deleteSharedVectors(
  q: Queryable,
  { spaceId, embedderId }: { spaceId: string; embedderId: string },
  options?: StatementOptions,
): Promise<void> {
  const text = `delete from ${sharedPartition(embedderId)} where space_id = $1`;
  await q.execute({ name: 'vector_tables.delete_shared', text, prepare: false }, [spaceId], options);
}

/**
 * Drops the space's own partition, if it has one. Locks the embedder's table exclusively until the transaction ends, so it
 * should be the last statement there.
 */
export async function dropSpacePartition(
  q: Queryable,
  { spaceId, embedderId }: { spaceId: string; embedderId: string },
  options?: StatementOptions,
): Promise<void> {
  await q.script(`drop table if exists ${spacePartition(embedderId, spaceId).table}`, options);
}

function hexOf(id: string): string {
  const hex = id.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(hex)) throw new RangeError(`not a UUID: ${id}`);
  return hex;
}

/** 25 digits hold 128 bits: 36^25 > 2^128. */
function base36Of(id: string): string {
  return BigInt(`0x${hexOf(id)}`)
    .toString(36)
    .padStart(25, '0');
}
