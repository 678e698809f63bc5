import { halfvecArray } from './binary.ts';
import type { Queryable, StatementOptions } from './db.ts';
import type { MemoryKey } from './memory-row.ts';
import { sharedPartition, vectorTable } from './vector-tables.ts';

interface VectorBatch extends MemoryKey {
  embedderId: string;
  /** Sequence of the chunk of the first vector; the following vectors belong to consecutive chunks. */
  firstSequence: number;
  vectors: readonly Float32Array[];
}

/**
 * Stores vectors through the embedder's table, which routes them into the shared partition or into the unindexed part of
 * the space's own partition. `halfvecOid` is `await db.halfvecOid()`.
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

/**
 * Deletes the vectors of these memories from all partitions, in the transaction `tx`. The shared partition is locked before
 * the deletion is planned; without that, a space that moves into its own partition in between would leave the deletion with
 * a plan for the old partition.
 */
export async function deleteVectors(
  tx: Queryable,
  { spaceId, embedderId, memoryIds }: { spaceId: string; embedderId: string; memoryIds: readonly string[] },
  options?: StatementOptions,
): Promise<void> {
  const table = vectorTable(embedderId);
  // Both values of `indexed` are listed because it precedes the memory id in the primary key.
  const text = `delete from ${table}
    where space_id = $1 and indexed = any (array[false, true]) and memory_id = any ($2::uuid[])`;
  await Promise.all([
    tx.script(`lock table ${sharedPartition(embedderId)} in row exclusive mode`, options),
    tx.execute({ name: `vectors.delete_${table}`, text }, [spaceId, memoryIds], options),
  ]);
}
