import { notFound } from '../../../shared/errors.ts';
import type { CallContext } from '../../context.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { DELETE_TIMEOUT_MS, deleteMemoryRows } from '../../store/memory-deletion.ts';
import { lockMatchingMemories, type MemoryCondition, selectMatchingMemories } from '../../store/memory-list.ts';
import { selectSpaceEmbedders } from '../../store/space-embedders.ts';
import { boundedSearch } from './bounded-search.ts';
import type { MemoryDeps } from './deps.ts';
import { loadMemory } from './load-memory.ts';

const BATCH_SIZE = 1000;

/** Throws NOT_FOUND, also when another caller deletes the memory first. */
export async function deleteMemory(
  deps: Pick<MemoryDeps, 'db'>,
  memoryId: string,
  context: CallContext,
): Promise<void> {
  const memory = await loadMemory(deps, memoryId, 'DELETE_MEMORY', context);
  const deleted = await deleteMemories(deps.db, memory.spaceId, [memory], context.signal);
  if (deleted.length === 0) throw notFound('Memory', memoryId);
}

/** Deletes these memories of one space in one transaction. Returns the ids of those that still existed. */
export function deleteMemories(
  db: Db,
  spaceId: string,
  memories: readonly { memoryId: string; contentId: string }[],
  signal: AbortSignal,
): Promise<string[]> {
  const bound = { timeoutMs: DELETE_TIMEOUT_MS };
  return db.main.withTx(
    async (tx) => {
      const embedderIds = await embeddersOf(tx, spaceId);
      const memoryIds = memories.map(({ memoryId }) => memoryId);
      const contentIds = memories.map(({ contentId }) => contentId);
      return deleteMemoryRows(tx, { spaceId, memoryIds, contentIds, embedderIds }, bound);
    },
    { signal, ...bound },
  );
}

/**
 * Deletes all memories that match, or none. Returns how many there were. The search takes no locks, so that its timeout
 * covers only the filter; the wait for a worker that writes to a memory is part of the deletion.
 */
export function deleteMatching(
  { db, searchTimeoutMs }: Pick<MemoryDeps, 'db' | 'searchTimeoutMs'>,
  condition: MemoryCondition,
  signal: AbortSignal,
): Promise<number> {
  const bound = { timeoutMs: DELETE_TIMEOUT_MS };
  const { spaceId } = condition;
  return db.main.withTx(
    async (tx) => {
      const embedderIds = await embeddersOf(tx, spaceId);
      let deleted = 0;
      for (;;) {
        const found = await boundedSearch(
          (own) => selectMatchingMemories(tx, condition, BATCH_SIZE, own),
          searchTimeoutMs,
        );
        if (found.length === 0) return deleted;
        // A memory that was changed in between may no longer match.
        const matching = await lockMatchingMemories(tx, condition, found, bound);
        const memoryIds = matching.map(({ memoryId }) => memoryId);
        const contentIds = matching.map(({ contentId }) => contentId);
        deleted += (await deleteMemoryRows(tx, { spaceId, memoryIds, contentIds, embedderIds }, bound)).length;
      }
    },
    { signal, ...bound },
  );
}

async function embeddersOf(tx: Queryable, spaceId: string): Promise<string[]> {
  return (await selectSpaceEmbedders(tx, [spaceId])).map(({ embedderId }) => embedderId);
}
