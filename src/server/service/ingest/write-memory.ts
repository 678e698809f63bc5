import { deleteProcessed, insertChunks } from '../../store/chunks.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { insertTextPart, type TextPart } from '../../store/extracted-text.ts';
import { succeedJob } from '../../store/job-endings.ts';
import { type Lease, lockMemory, reportProgress } from '../../store/jobs.ts';
import { DELETE_TIMEOUT_MS } from '../../store/memory-deletion.ts';
import { completeMemory } from '../../store/processing.ts';
import { insertVectors } from '../../store/vectors-write.ts';
import type { ChunkBatch } from './chunk-batches.ts';
import { LeaseLost } from './failed-attempt.ts';

export interface EmbeddedBatch extends ChunkBatch {
  /** One vector per chunk for each embedder. */
  vectors: readonly { embedderId: string; vectors: readonly Float32Array[] }[];
}

export interface MemoryWriter {
  /** Deletes the text, chunks and vectors of an earlier attempt or processing. */
  removeRemains(embedderIds: readonly string[]): Promise<void>;
  writeText(part: TextPart): Promise<void>;
  /** One transaction; that of the last batch also writes `text`, completes the memory and ends the job. */
  writeBatch(batch: EmbeddedBatch, totalChunks: number, text: TextPart | undefined): Promise<void>;
}

/** Writes the memory of a job. Every transaction checks the lease and throws LeaseLost when another worker has the job. */
export function createMemoryWriter(db: Db, lease: Lease, signal: AbortSignal): MemoryWriter {
  const options = { signal };
  /**
   * Pipelines everything: the lock, the check, then the writes. Writes after a failed check may fail themselves (their
   * memory was deleted) and are rolled back in any case.
   */
  const guarded = (
    check: (tx: Queryable) => Promise<boolean>,
    writes: (tx: Queryable) => Promise<unknown>[],
    timeoutMs?: number,
  ) =>
    db.background.withTx(
      async (tx) => {
        const holds = Promise.all([lockMemory(tx, lease), check(tx)]);
        const done = Promise.all(writes(tx));
        done.catch(() => undefined);
        if (!(await holds).every(Boolean)) throw new LeaseLost();
        await done;
      },
      timeoutMs === undefined ? options : { signal, timeoutMs },
    );
  const still = (tx: Queryable) => reportProgress(tx, lease, { current: 0, total: null });

  return {
    removeRemains: (embedderIds) =>
      guarded(
        still,
        (tx) => {
          const remains = { spaceId: lease.spaceId, memoryIds: [lease.memoryId], embedderIds };
          return [deleteProcessed(tx, remains, { timeoutMs: DELETE_TIMEOUT_MS })];
        },
        DELETE_TIMEOUT_MS,
      ),

    writeText: (part) => guarded(still, (tx) => [insertTextPart(tx, lease, part)]),

    async writeBatch(batch, totalChunks, text) {
      const oid = await db.halfvecOid();
      const { firstSequence, chunks, isLast } = batch;
      const current = firstSequence + chunks.length;
      await guarded(
        (tx) =>
          isLast ? succeedJob(tx, lease, totalChunks) : reportProgress(tx, lease, { current, total: totalChunks }),
        (tx) => [
          ...(text === undefined ? [] : [insertTextPart(tx, lease, text)]),
          ...(chunks.length === 0 ? [] : [insertChunks(tx, lease, { firstSequence, chunks })]),
          ...(chunks.length === 0 ? [] : batch.vectors).map(({ embedderId, vectors }) =>
            insertVectors(tx, { ...lease, embedderId, firstSequence, vectors }, oid),
          ),
          ...(isLast ? [completeMemory(tx, lease, totalChunks)] : []),
        ],
      );
    },
  };
}
