import { halfvecArray, int4Array, uuidArray } from './binary.ts';
import type { Queryable, StatementOptions } from './db.ts';
import type { MemoryKey } from './memory-row.ts';
import { partsWithCopies, type SpaceVectors } from './vector-layout.ts';
import { vectorTable } from './vector-tables.ts';

interface VectorBatch extends MemoryKey {
  embedderId: string;
  /** Sequence of the chunk of the first vector; the following vectors belong to consecutive chunks. */
  firstSequence: number;
  vectors: readonly Float32Array[];
}

/**
 * Stores vectors where those of all spaces begin, in the shared partition; a background task moves them into the segments of
 * a large space. `halfvecOid` is `await db.halfvecOid()`.
 */
export async function insertVectors(
  q: Queryable,
  batch: VectorBatch,
  halfvecOid: number,
  options?: StatementOptions,
): Promise<void> {
  const table = vectorTable(batch.embedderId);
  const text = `insert into ${table} (space_id, indexed, memory_id, sequence, embedding)
    select $1, false, $2, $3::int4 + ordinality::int4 - 1, embedding
    from unnest($4::halfvec[]) with ordinality as item (embedding, ordinality)`;
  const values = [batch.spaceId, batch.memoryId, batch.firstSequence, halfvecArray(halfvecOid, batch.vectors)];
  await q.execute({ name: `vectors.insert_${table}`, text }, values, options);
}

interface VectorRow extends MemoryKey {
  sequence: number;
  vector: Float32Array;
}

/** As `insertVectors`, for chunks of any memories and spaces. */
export async function insertVectorsOf(
  q: Queryable,
  { embedderId, rows }: { embedderId: string; rows: readonly VectorRow[] },
  halfvecOid: number,
  options?: StatementOptions,
): Promise<void> {
  const table = vectorTable(embedderId);
  const text = `insert into ${table} (space_id, indexed, memory_id, sequence, embedding)
    select space_id, false, memory_id, sequence, embedding
    from unnest($1::uuid[], $2::uuid[], $3::int4[], $4::halfvec[]) as item (space_id, memory_id, sequence, embedding)`;
  const values = [
    uuidArray(rows.map(({ spaceId }) => spaceId)),
    uuidArray(rows.map(({ memoryId }) => memoryId)),
    int4Array(rows.map(({ sequence }) => sequence)),
    halfvecArray(
      halfvecOid,
      rows.map(({ vector }) => vector),
    ),
  ];
  await q.execute({ name: `vectors.insert_of_${table}`, text }, values, options);
}

/**
 * Deletes the vectors of these memories, in the transaction `tx`. It has locked the memories before it learned, by
 * `lockVectorLayouts`, where their vectors are, so that none of them moves in between.
 */
export async function deleteVectors(
  tx: Queryable,
  vectors: SpaceVectors,
  memoryIds: readonly string[],
  options?: StatementOptions,
): Promise<void> {
  const deletes = partsWithCopies(vectors, '$1').map(
    ({ table, rows }) => `delete from ${table} v where ${rows} and v.memory_id = any ($2::uuid[])`,
  );
  const text = `with ${deletes.map((sql, part) => `part_${part} as (${sql})`).join(', ')} select 1`;
  await tx.execute({ name: 'vectors.delete', text, prepare: false }, [vectors.spaceId, memoryIds], options);
}
