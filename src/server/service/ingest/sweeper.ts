import { deleteMemoryRows } from '../../store/memory-deletion.ts';
import { selectSpaceEmbedders } from '../../store/space-embedders.ts';
import { deleteStaleUpload, lockExpiredMemories, tryLockSweep } from '../../store/sweep.ts';
import type { IngestDeps } from './deps.ts';
import { runPeriodically } from './periodic.ts';

const EVERY_MS = 60_000;
/** Each part of an upload renews its time, so one that has been idle for this long was abandoned. */
const UPLOAD_IDLE_MS = 3_600_000;
const EXPIRED_PER_RUN = 100;
const PARTS_PER_RUN = 32;

/** Deletes expired memories and abandoned uploads in short transactions, one server at a time. */
export function startSweeper(deps: IngestDeps, stop: AbortSignal): Promise<void> {
  const run = (signal: AbortSignal) => sweepOnce(deps, signal);
  return runPeriodically(deps, { name: 'sweeper', everyMs: EVERY_MS, run }, stop);
}

/** One short transaction of the sweep; true when there is more to do. */
export function sweepOnce({ db }: Pick<IngestDeps, 'db'>, signal: AbortSignal): Promise<boolean> {
  return db.background.withTx(
    async (tx) => {
      if (!(await tryLockSweep(tx))) return false;
      const hasUpload = await deleteStaleUpload(tx, { idleMs: UPLOAD_IDLE_MS, maxParts: PARTS_PER_RUN });
      const expired = await lockExpiredMemories(tx, EXPIRED_PER_RUN);
      const [first] = expired;
      if (first === undefined) return hasUpload;
      const embedders = await selectSpaceEmbedders(tx, [first.spaceId]);
      await deleteMemoryRows(tx, {
        spaceId: first.spaceId,
        memoryIds: expired.map(({ memoryId }) => memoryId),
        contentIds: expired.map(({ contentId }) => contentId),
        embedderIds: embedders.map(({ embedderId }) => embedderId),
      });
      return true;
    },
    { signal },
  );
}
