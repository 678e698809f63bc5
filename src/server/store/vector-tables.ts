import type { Queryable, StatementOptions } from './db.ts';

/**
 * The names of the vector tables. Each embedder has a table of its own, since the dimension is part of a column's type:
 *
 *     vector_<e>              <e> = embedder id in 32 hexadecimal digits
 *       vector_<e>_shared     its only partition: all vectors that no segment has, scanned exactly
 *     vp_<e36>_<s36>_<n>      segment n of a large space, a table by itself; ids in base 36, 25 digits each
 *     vi_<e36>_<s36>_<n>      its HNSW index
 *
 * PostgreSQL truncates names to 63 bytes. Two UUIDs take 64 in hexadecimal and 50 in base 36, so names need no hash and
 * cannot collide; with a number of seven digits a segment's has 62.
 */
const SEGMENT_PREFIX = 'vp_';

/** A row with more dimensions does not fit into a page of 8 kB, so its vector is stored out of line. */
const MAX_INLINE_DIMENSIONS = 4000;

interface SegmentKey {
  spaceId: string;
  embedderId: string;
}

export function vectorTable(embedderId: string): string {
  return `vector_${hexOf(embedderId)}`;
}

/** The table of the vectors that are in no segment, of all spaces. */
export function sharedPartition(embedderId: string): string {
  return `${vectorTable(embedderId)}_shared`;
}

export function segmentTable(key: SegmentKey, number: number): string {
  return `${SEGMENT_PREFIX}${suffixOf(key, number)}`;
}

export function segmentIndex(key: SegmentKey, number: number): string {
  return `vi_${suffixOf(key, number)}`;
}

/** The signs of the numbers of a vector, as an index on them has them. */
export function signsOf(vector: string, dimensions: number): string {
  return `binary_quantize(${vector})::bit(${dimensions})`;
}

/** Regular expression for the names of all segments. */
export const SEGMENT_PATTERN = `^${SEGMENT_PREFIX}[0-9a-z]{25}_[0-9a-z]{25}_[0-9]+$`;

function suffixOf({ embedderId, spaceId }: SegmentKey, number: number): string {
  if (!Number.isInteger(number) || number < 0) throw new RangeError(`not the number of a segment: ${number}`);
  return `${base36Of(embedderId)}_${base36Of(spaceId)}_${number}`;
}

/** Creates the table of an embedder, with its shared partition. */
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

/** Drops the table of an embedder, which no space uses any more. */
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
