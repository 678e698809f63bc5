import { deleteMemoryRows } from '../../store/memory-deletion.ts';
import { selectSpaceEmbedders } from '../../store/space-embedders.ts';
import { deleteStaleUpload, lockExpiredMemories, tryLockSweep } from '../../store/sweep.ts';
import type { IngestDeps } from './deps.ts';
import { runPeriodically } from './periodic.ts';

const EVERY_MS = 60_000;
/** An upload puts the sweeper off with every part, so one that rests this long is broken. */
const UPLOAD_REST_MS = 3_600_000;
const EXPIRED_AT_ONCE = 100;
const PARTS_AT_ONCE = 32;

/** Deletes expired memories and broken uploads, in short transactions of which one server does one at a time. */
export function startSweeper(deps: IngestDeps, stop: AbortSignal): Promise<void> {
  const run = (signal: AbortSignal) => sweepOnce(deps, signal);
  return runPeriodically(deps, { name: 'sweeper', everyMs: EVERY_MS, run }, stop);
}

/** One short piece of sweeping; true when there is more to do. */
export function sweepOnce({ db }: Pick<IngestDeps, 'db'>, signal: AbortSignal): Promise<boolean> {
  return db.background.withTx(
    async (tx) => {
      if (!(await tryLockSweep(tx))) return false;
      const hasUpload = await deleteStaleUpload(tx, { idleMs: UPLOAD_REST_MS, maxParts: PARTS_AT_ONCE });
      const expired = await lockExpiredMemories(tx, EXPIRED_AT_ONCE);
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
