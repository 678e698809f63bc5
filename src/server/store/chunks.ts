import { int4Array, textArray, uuidArray } from './binary.ts';
import type { Queryable, StatementOptions } from './db.ts';
import type { MemoryKey } from './memory-row.ts';
import { statement } from './statement.ts';
import { lockVectorLayouts } from './vector-layout.ts';
import { deleteVectors } from './vectors-write.ts';

export interface ChunkRow {
  chunkId: string;
  memoryId: string;
  sequence: number;
  text: string;
  vectorStatus: string;
  /** Code points in the extracted text, end exclusive. */
  startOffset: number;
  endOffset: number;
  metadata: unknown;
  createdAt: number;
  updatedAt: number;
  /** Of its memory. */
  createdById: string;
  updatedById: string;
}

/** The columns of a ChunkRow from a chunk and its memory under these aliases. */
export function chunkColumns(chunk: string, memory: string): string {
  const c = chunk;
  return `${c}.chunk_id as "chunkId", ${c}.memory_id as "memoryId", ${c}.sequence, ${c}.text,
  ${c}.vector_status as "vectorStatus", ${c}.start_offset as "startOffset", ${c}.end_offset as "endOffset",
  ${c}.metadata, ${c}.created_at as "createdAt", ${c}.updated_at as "updatedAt",
  ${memory}.created_by_id as "createdById", ${memory}.updated_by_id as "updatedById"`;
}

/** The key of a chunk in a Map. Memory ids are unique over all spaces. */
export function chunkKey({ memoryId, sequence }: { memoryId: string; sequence: number }): string {
  return `${memoryId}/${sequence}`;
}

export interface NewChunk {
  chunkId: string;
  text: string;
  /** Code points in the extracted text, end exclusive. */
  start: number;
  end: number;
  /** Line of the document that it starts in, from 1; undefined when unknown. */
  line: number | undefined;
}

const INSERT = statement({
  name: 'chunks.insert',
  purpose: 'Adds consecutive chunks of a memory',
  text: `insert into chunk (space_id, memory_id, sequence, chunk_id, text, start_offset, end_offset, vector_status,
      metadata, created_at, updated_at)
    select $1, $2, $3::int4 + ordinality::int4 - 1, chunk_id, text, start_offset, end_offset, 'COMPLETED',
      case when line > 0 then jsonb_build_object('source_line_start', line) end, now(), now()
    from unnest($4::uuid[], $5::text[], $6::int4[], $7::int4[], $8::int4[]) with ordinality
      as item (chunk_id, text, start_offset, end_offset, line, ordinality)`,
});
const DELETE_CHUNKS = statement({
  name: 'chunks.delete_of_memories',
  purpose: 'Removes the chunks of memories that are deleted or processed again',
  text: 'delete from chunk where space_id = $1 and memory_id = any ($2::uuid[])',
});
const DELETE_TEXT = statement({
  name: 'chunks.delete_text_of_memories',
  purpose: 'Removes the extracted text of memories',
  text: 'delete from text_part where space_id = $1 and memory_id = any ($2::uuid[])',
});
const COUNT_OUT = statement({
  name: 'chunks.count_out',
  purpose: 'Subtracts the chunks that are about to be removed from the counts of the space',
  text: `with gone as (
      select coalesce(sum(chunk_count), 0) as chunks from memory where space_id = $1 and memory_id = any ($2::uuid[])
    )
    update space_embedder set vector_count = greatest(0, vector_count - gone.chunks) from gone
    where space_id = $1 and gone.chunks > 0`,
});
const FORGET_COUNT = statement({
  name: 'chunks.forget_count',
  purpose: 'Resets the chunk count of memories that are processed again',
  text: `update memory set chunk_count = 0 where space_id = $1 and memory_id = any ($2::uuid[]) and chunk_count > 0`,
});

/** Stores consecutive chunks whose vectors are known; the first has the sequence `firstSequence`. */
export async function insertChunks(
  q: Queryable,
  key: MemoryKey,
  { firstSequence, chunks }: { firstSequence: number; chunks: readonly NewChunk[] },
  options?: StatementOptions,
): Promise<void> {
  const values = [
    key.spaceId,
    key.memoryId,
    firstSequence,
    uuidArray(chunks.map(({ chunkId }) => chunkId)),
    textArray(chunks.map(({ text }) => text)),
    int4Array(chunks.map(({ start }) => start)),
    int4Array(chunks.map(({ end }) => end)),
    int4Array(chunks.map(({ line = 0 }) => line)),
  ];
  await q.execute(INSERT, values, options);
}

interface ProcessedKey {
  spaceId: string;
  memoryIds: readonly string[];
  /** All embedders of the space. */
  embedderIds: readonly string[];
}

/**
 * Deletes the results of processing these memories, in the transaction that has locked them: vectors, chunks, text, and
 * their share of the space's counts.
 */
export async function deleteProcessed(tx: Queryable, key: ProcessedKey, options?: StatementOptions): Promise<void> {
  await Promise.all([tx.execute(DELETE_TEXT, [key.spaceId, key.memoryIds], options), deleteChunks(tx, key, options)]);
}

/**
 * As `deleteProcessed`, but keeps the text. The counts come last, because every writer of the space waits for their rows.
 */
export async function deleteChunks(
  tx: Queryable,
  { spaceId, memoryIds, embedderIds }: ProcessedKey,
  options?: StatementOptions,
): Promise<void> {
  const values = [spaceId, memoryIds];
  const layouts = await lockVectorLayouts(tx, { spaceId, embedderIds }, options);
  await Promise.all([
    ...layouts.map((vectors) => deleteVectors(tx, vectors, memoryIds, options)),
    tx.execute(DELETE_CHUNKS, values, options),
    tx.execute(COUNT_OUT, values, options),
    tx.execute(FORGET_COUNT, values, options),
  ]);
}
