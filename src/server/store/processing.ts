import { uuidArray } from './binary.ts';
import type { Queryable, StatementOptions } from './db.ts';
import type { Lease } from './jobs.ts';
import { statement } from './statement.ts';

/** What a worker needs to know of the memory of its job. */
export interface ProcessedMemory {
  contentId: string;
  /** Bytes. */
  contentLength: number;
  contentType: string;
  /** JSON as the service made it: the memory's own, else the space's. */
  chunkingConfig: unknown;
  /** An earlier attempt or an earlier processing has stored text or chunks. */
  hasRemains: boolean;
  /** How many chunks are stored, from the first on. */
  storedChunks: number;
  /** Digest of the input of the stored chunks, written by the attempt that stored them. */
  preparedDigest: Buffer | null;
  /** In the order of the space. */
  embedderIds: string[];
  /** The whole content when it is one part of at most `maxInlineBytes`. */
  onlyPart: Buffer | null;
}

/** The columns of a ProcessedMemory from a memory, its space and its job under these aliases; content of up to $1 bytes. */
const processedColumns = (m: string, s: string, j: string) => `${m}.content_id as "contentId",
      ${m}.content_length as "contentLength", ${m}.content_type as "contentType",
      coalesce(${m}.chunking_config, ${s}.chunking_config) as "chunkingConfig",
      exists (select from text_part t where t.space_id = ${m}.space_id and t.memory_id = ${m}.memory_id)
        or exists (select from chunk c where c.space_id = ${m}.space_id and c.memory_id = ${m}.memory_id)
        as "hasRemains",
      (select coalesce(max(c.sequence) + 1, 0) from chunk c
        where c.space_id = ${m}.space_id and c.memory_id = ${m}.memory_id) as "storedChunks",
      ${j}.prepared_digest as "preparedDigest",
      array(select e.embedder_id::text from space_embedder e where e.space_id = ${m}.space_id order by e.position)
        as "embedderIds",
      (select p.data from content_part p where ${m}.content_length <= $1 and p.space_id = ${m}.space_id
        and p.content_id = ${m}.content_id and p.part = 0) as "onlyPart"`;

/**
 * Checks the lease, counts the attempt, sets the memory to PROCESSING and loads small content, in one round trip. The
 * memory is locked before the job, as in all other code.
 */
const BEGIN = statement({
  name: 'processing.begin',
  purpose: 'Counts an attempt and loads what a worker needs of its memory',
  text: `with begun as (
      update memory m set processing_status = 'PROCESSING', updated_at = now()
      from job j
      where j.job_id = $2 and j.lease_token = $3 and j.status = 'RUNNING' and m.space_id = $4 and m.memory_id = $5
      returning m.*, j.prepared_digest
    ), held as (
      update job j set attempts = least(j.attempts + 1, j.max_attempts) from begun
      where j.job_id = $2 and j.lease_token = $3 and j.status = 'RUNNING' returning j.job_id
    ), counted as (
      update job_attempt a set is_counted = true from held where a.attempt_id = $6 and a.job_id = held.job_id
    )
    select ${processedColumns('b', 's', 'b')}
    from begun b join space s on s.space_id = b.space_id cross join held`,
});
/**
 * Reads only: nothing of it counts, and a job that was taken over in the meantime is found out by the write. The memory is
 * found by its whole key: joined plainly, all memories of its space may be read.
 */
const LOAD = statement({
  name: 'processing.load',
  purpose: 'Loads what a worker needs of the memories of several jobs',
  text: `select j.job_id as "jobId", ${processedColumns('m', 's', 'j')}
    from job j
    cross join lateral (
      select * from memory where memory.space_id = j.space_id and memory.memory_id = j.memory_id offset 0
    ) m
    join space s on s.space_id = m.space_id
    where j.job_id = any ($2::bigint[]) and j.lease_token = $3 and j.status = 'RUNNING'`,
});
/**
 * Skips locked memories, which are being changed anyhow: waiting for one while others are locked could deadlock with a
 * transaction that locks several memories.
 */
const MARK = statement({
  name: 'processing.mark',
  purpose: 'Sets the waiting memories of several jobs to PROCESSING',
  text: `with waiting as materialized (
      select m.space_id, m.memory_id
      from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as item (space_id, memory_id, job_id)
        join memory m using (space_id, memory_id) join job j using (job_id)
      where j.lease_token = $4 and j.status = 'RUNNING' and m.processing_status = 'PENDING'
      for no key update of m skip locked
    )
    update memory m set processing_status = 'PROCESSING', updated_at = now()
    from waiting w where m.space_id = w.space_id and m.memory_id = w.memory_id`,
});
const COMPLETE = statement({
  name: 'processing.complete',
  purpose: 'Sets a memory to COMPLETED',
  text: `update memory set processing_status = 'COMPLETED', chunk_count = $3, updated_at = now()
    where space_id = $1 and memory_id = $2`,
});
/** Runs last in the transaction, because every writer of the space waits for these rows. */
const COUNT_IN = statement({
  name: 'processing.count_in',
  purpose: 'Adds the new vectors to the counts of the space',
  text: 'update space_embedder set vector_count = vector_count + $2 where space_id = $1',
});

/** Counts the attempt. Undefined when this worker no longer holds the job or its memory was deleted. */
export async function beginProcessing(
  q: Queryable,
  lease: Lease,
  { maxInlineBytes }: { maxInlineBytes: number },
  options?: StatementOptions,
): Promise<ProcessedMemory | undefined> {
  const values = [maxInlineBytes, lease.jobId, lease.leaseToken, lease.spaceId, lease.memoryId, lease.attemptId];
  const [row] = await q.query<ProcessedMemory>(BEGIN, values, options);
  return row;
}

/** By job id, for jobs of one claim. Those that are no longer held, or whose memory was deleted, are left out. */
export async function loadProcessing(
  q: Queryable,
  leases: readonly Lease[],
  { maxInlineBytes }: { maxInlineBytes: number },
  options?: StatementOptions,
): Promise<Map<number, ProcessedMemory>> {
  const values = [maxInlineBytes, leases.map(({ jobId }) => jobId), leases[0]?.leaseToken];
  const rows = await q.query<ProcessedMemory & { jobId: number }>(LOAD, values, options);
  return new Map(rows.map((row) => [row.jobId, row]));
}

/** Shows that the jobs of one claim are being worked on. */
export async function markProcessing(
  q: Queryable,
  leases: readonly Lease[],
  options?: StatementOptions,
): Promise<void> {
  const values = [
    uuidArray(leases.map(({ spaceId }) => spaceId)),
    uuidArray(leases.map(({ memoryId }) => memoryId)),
    leases.map(({ jobId }) => jobId),
    leases[0]?.leaseToken,
  ];
  await q.execute(MARK, values, options);
}

/** Sets a memory to COMPLETED and counts its vectors, one for each chunk and embedder. */
export async function completeMemory(
  tx: Queryable,
  { spaceId, memoryId }: Lease,
  chunkCount: number,
  options?: StatementOptions,
): Promise<void> {
  await Promise.all([
    tx.execute(COMPLETE, [spaceId, memoryId, chunkCount], options),
    ...(chunkCount === 0 ? [] : [countVectors(tx, spaceId, chunkCount, options)]),
  ]);
}

/** Adds to the vectors that each embedder of the space has. */
export async function countVectors(
  tx: Queryable,
  spaceId: string,
  chunkCount: number,
  options?: StatementOptions,
): Promise<void> {
  await tx.execute(COUNT_IN, [spaceId, chunkCount], options);
}
