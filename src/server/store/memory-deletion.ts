import { deleteProcessed } from './chunks.ts';
import type { Queryable, StatementOptions } from './db.ts';
import { statement } from './statement.ts';

/** A space may have millions of chunks, and a filter may match all its memories; they are deleted in one transaction. */
export const DELETE_TIMEOUT_MS = 600_000;

interface MemoriesToDelete {
  spaceId: string;
  /** Parallel to `contentIds`. */
  memoryIds: readonly string[];
  contentIds: readonly string[];
  /** All embedders of the space. */
  embedderIds: readonly string[];
}

/** Waits for a worker that is writing to one of them; a worker that comes later finds no memory. */
const LOCK = statement({
  name: 'memory_deletion.lock',
  purpose: 'Locks memories that are to be deleted',
  text: `select memory_id as "memoryId" from memory where space_id = $1 and memory_id = any ($2::uuid[])
    order by memory_id for update`,
});
const CANCEL_JOBS = statement({
  name: 'memory_deletion.cancel_jobs',
  purpose: 'Cancels the jobs of memories that are to be deleted',
  text: `with canceled as (
      update job set status = 'CANCELED', lease_until = null, locked_by = null, lease_token = null, updated_at = now()
      where space_id = $1 and memory_id = any ($2::uuid[]) and status in ('PENDING', 'RUNNING')
      returning job_id
    )
    update job_attempt a set finished_at = now(), ok = false, status_message = 'Canceled: the memory was deleted'
    from canceled where a.job_id = canceled.job_id and a.finished_at is null`,
});
const DELETE_CONTENT = statement({
  name: 'memory_deletion.content',
  purpose: 'Removes the content of memories',
  text: 'delete from content_part where space_id = $1 and content_id = any ($2::uuid[])',
});
const DELETE = statement({
  name: 'memory_deletion.memories',
  purpose: 'Removes memories',
  text: 'delete from memory where space_id = $1 and memory_id = any ($2::uuid[])',
});

/**
 * Deletes memories with all data that belongs to them and cancels their jobs, which stay as history. Returns the ids of
 * those that still existed. Memories are locked before jobs, as in all other code.
 */
export async function deleteMemoryRows(
  tx: Queryable,
  { spaceId, memoryIds, contentIds, embedderIds }: MemoriesToDelete,
  options?: StatementOptions,
): Promise<string[]> {
  const values = [spaceId, memoryIds];
  const [locked] = await Promise.all([
    tx.query<{ memoryId: string }>(LOCK, values, options),
    tx.execute(CANCEL_JOBS, values, options),
    tx.execute(DELETE_CONTENT, [spaceId, contentIds], options),
    deleteProcessed(tx, { spaceId, memoryIds, embedderIds }, options),
  ]);
  await tx.execute(DELETE, values, options);
  return locked.map(({ memoryId }) => memoryId);
}
