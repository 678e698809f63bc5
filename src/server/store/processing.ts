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
      where j.job_id = $1 and j.lease_token = $2 and j.status = 'RUNNING' and m.space_id = $3 and m.memory_id = $4
      returning m.*, j.prepared_digest
    ), held as (
      update job j set attempts = least(j.attempts + 1, j.max_attempts) from begun
      where j.job_id = $1 and j.lease_token = $2 and j.status = 'RUNNING' returning j.job_id
    ), counted as (
      update job_attempt a set is_counted = true from held where a.attempt_id = $6 and a.job_id = held.job_id
    )
    select b.content_id as "contentId", b.content_length as "contentLength", b.content_type as "contentType",
      coalesce(b.chunking_config, s.chunking_config) as "chunkingConfig",
      exists (select from text_part t where t.space_id = $3 and t.memory_id = $4)
        or exists (select from chunk c where c.space_id = $3 and c.memory_id = $4) as "hasRemains",
      (select coalesce(max(c.sequence) + 1, 0) from chunk c where c.space_id = $3 and c.memory_id = $4)
        as "storedChunks", b.prepared_digest as "preparedDigest",
      array(select e.embedder_id::text from space_embedder e where e.space_id = $3 order by e.position)
        as "embedderIds",
      (select p.data from content_part p
        where b.content_length <= $5 and p.space_id = $3 and p.content_id = b.content_id and p.part = 0) as "onlyPart"
    from begun b join space s on s.space_id = b.space_id cross join held`,
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
  const values = [lease.jobId, lease.leaseToken, lease.spaceId, lease.memoryId, maxInlineBytes, lease.attemptId];
  const [row] = await q.query<ProcessedMemory>(BEGIN, values, options);
  return row;
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
    ...(chunkCount === 0 ? [] : [tx.execute(COUNT_IN, [spaceId, chunkCount], options)]),
  ]);
}
