import { int4Array, textArray, uuidArray } from './binary.ts';
import type { NewChunk } from './chunks.ts';
import type { Queryable, StatementOptions } from './db.ts';
import type { Lease } from './jobs.ts';
import { countVectors } from './processing.ts';
import { statement } from './statement.ts';
import { insertVectorsOf } from './vectors-write.ts';

/** A memory with all that processing makes of it: its text is one part, and its chunks are stored together. */
export interface FinishedMemory {
  lease: Lease;
  /** Whole, without NUL. */
  text: string;
  /** All chunks, in order. */
  chunks: readonly NewChunk[];
  /** One vector for each chunk, by the id of the embedder. */
  vectors: ReadonlyMap<string, readonly Float32Array[]>;
}

/** In the order in which all other code locks several memories. */
const LOCK = statement({
  name: 'finish.lock_memories',
  purpose: 'Locks the memories of several jobs for their writes',
  text: `select m.memory_id from unnest($1::uuid[], $2::uuid[]) as item (space_id, memory_id)
    join memory m using (space_id, memory_id) order by m.memory_id for no key update of m`,
});
/** Counts the attempts too, which nothing has done before. */
const SUCCEED = statement({
  name: 'finish.succeed',
  purpose: 'Ends several jobs of one claim with success, as far as the worker still holds them',
  text: `with done as (
      update job set status = 'SUCCEEDED', attempts = least(attempts + 1, max_attempts), lease_until = null,
        locked_by = null, lease_token = null, last_error = null, away_since = null, away_attempts = 0,
        prepared_digest = null, updated_at = now()
      where job_id = any ($1::bigint[]) and lease_token = $2 and status = 'RUNNING' returning job_id
    ), ended as (
      update job_attempt a set finished_at = now(), ok = true, is_counted = true, progress_current = item.chunks,
        progress_total = item.chunks, progress_updated_at = now()
      from unnest($1::bigint[], $3::bigint[], $4::int4[]) as item (job_id, attempt_id, chunks) join done using (job_id)
      where a.attempt_id = item.attempt_id
    )
    select job_id as "jobId" from done`,
});
const INSERT_TEXTS = statement({
  name: 'finish.insert_texts',
  purpose: 'Adds the texts of several memories, each in one part',
  text: `insert into text_part (space_id, memory_id, part, start_offset, data)
    select space_id, memory_id, 0, 0, data
    from unnest($1::uuid[], $2::uuid[], $3::text[]) as item (space_id, memory_id, data)
    on conflict do nothing`,
});
const INSERT_CHUNKS = statement({
  name: 'finish.insert_chunks',
  purpose: 'Adds the chunks of several memories',
  text: `insert into chunk (space_id, memory_id, sequence, chunk_id, text, start_offset, end_offset, vector_status,
      metadata, created_at, updated_at)
    select space_id, memory_id, sequence, chunk_id, text, start_offset, end_offset, 'COMPLETED',
      case when line > 0 then jsonb_build_object('source_line_start', line) end, now(), now()
    from unnest($1::uuid[], $2::uuid[], $3::int4[], $4::uuid[], $5::text[], $6::int4[], $7::int4[], $8::int4[])
      as item (space_id, memory_id, sequence, chunk_id, text, start_offset, end_offset, line)`,
});
const COMPLETE = statement({
  name: 'finish.complete',
  purpose: 'Sets several memories to COMPLETED',
  text: `update memory m set processing_status = 'COMPLETED', chunk_count = item.chunks, updated_at = now()
    from unnest($1::uuid[], $2::uuid[], $3::int4[]) as item (space_id, memory_id, chunks)
    where m.space_id = item.space_id and m.memory_id = item.memory_id`,
});

/**
 * Stores the memories of several jobs of one claim, completes them and ends their jobs, in the transaction `tx`. Returns
 * the ids of these jobs; nothing is written for a job that this worker no longer holds, or whose memory was deleted.
 * `halfvecOid` is `await db.halfvecOid()`.
 */
export async function finishMemories(
  tx: Queryable,
  memories: readonly FinishedMemory[],
  halfvecOid: number,
  options?: StatementOptions,
): Promise<Set<number>> {
  const held = await succeedHeld(tx, memories, options);
  const finished = memories.filter(({ lease }) => held.has(lease.jobId));
  if (finished.length > 0) await insertFinished(tx, finished, halfvecOid, options);
  return held;
}

/** The memories are locked before the leases are checked, as `lockMemory` says. */
async function succeedHeld(tx: Queryable, memories: readonly FinishedMemory[], options?: StatementOptions) {
  const leases = memories.map(({ lease }) => lease);
  const [, rows] = await Promise.all([
    tx.query(LOCK, keysOf(memories), options),
    tx.query<{ jobId: number }>(
      SUCCEED,
      [
        leases.map(({ jobId }) => jobId),
        leases[0]?.leaseToken,
        leases.map(({ attemptId }) => attemptId),
        int4Array(memories.map(({ chunks }) => chunks.length)),
      ],
      options,
    ),
  ]);
  return new Set(rows.map(({ jobId }) => jobId));
}

/** The counts of the spaces come last, since every writer of a space waits for them, and in one order for all writers. */
async function insertFinished(
  tx: Queryable,
  memories: readonly FinishedMemory[],
  halfvecOid: number,
  options?: StatementOptions,
): Promise<void> {
  const rows = memories.flatMap(({ lease: { spaceId, memoryId }, chunks }) =>
    chunks.map((chunk, sequence) => ({ spaceId, memoryId, sequence, ...chunk })),
  );
  const keys = keysOf(memories);
  await Promise.all([
    tx.execute(INSERT_TEXTS, [...keys, textArray(memories.map(({ text }) => text))], options),
    ...(rows.length === 0 ? [] : [tx.execute(INSERT_CHUNKS, chunkValues(rows), options)]),
    ...embeddersOf(memories).map((embedderId) =>
      insertVectorsOf(tx, { embedderId, rows: vectorsOf(memories, embedderId) }, halfvecOid, options),
    ),
    tx.execute(COMPLETE, [...keys, int4Array(memories.map(({ chunks }) => chunks.length))], options),
    ...countsOf(memories).map(([spaceId, count]) => countVectors(tx, spaceId, count, options)),
  ]);
}

function keysOf(memories: readonly FinishedMemory[]): [Buffer, Buffer] {
  return [
    uuidArray(memories.map(({ lease }) => lease.spaceId)),
    uuidArray(memories.map(({ lease }) => lease.memoryId)),
  ];
}

function chunkValues(rows: readonly (NewChunk & { spaceId: string; memoryId: string; sequence: number })[]) {
  return [
    uuidArray(rows.map(({ spaceId }) => spaceId)),
    uuidArray(rows.map(({ memoryId }) => memoryId)),
    int4Array(rows.map(({ sequence }) => sequence)),
    uuidArray(rows.map(({ chunkId }) => chunkId)),
    textArray(rows.map(({ text }) => text)),
    int4Array(rows.map(({ start }) => start)),
    int4Array(rows.map(({ end }) => end)),
    int4Array(rows.map(({ line = 0 }) => line)),
  ];
}

function embeddersOf(memories: readonly FinishedMemory[]): string[] {
  return [...new Set(memories.flatMap(({ chunks, vectors }) => (chunks.length === 0 ? [] : [...vectors.keys()])))];
}

function vectorsOf(memories: readonly FinishedMemory[], embedderId: string) {
  return memories.flatMap(({ lease: { spaceId, memoryId }, vectors }) =>
    (vectors.get(embedderId) ?? []).map((vector, sequence) => ({ spaceId, memoryId, sequence, vector })),
  );
}

/** How many chunks each space gets, by the ids of the spaces. */
function countsOf(memories: readonly FinishedMemory[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { lease, chunks } of memories) {
    if (chunks.length > 0) counts.set(lease.spaceId, (counts.get(lease.spaceId) ?? 0) + chunks.length);
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}
