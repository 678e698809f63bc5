import { openScope } from '../../../shared/async/deadline.ts';
import { sleep } from '../../../shared/async/timer.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { selectVectorLayout, type VectorSegment } from '../../store/vector-layout.ts';
import { copyVectors } from '../../store/vector-merge.ts';
import {
  buildSegmentIndex,
  type GrownSpace,
  type MovePosition,
  moveVectors,
  vacuumShared,
} from '../../store/vector-promotion.ts';
import type { IngestDeps } from './deps.ts';

/** An index of a million vectors takes about ten minutes. */
export const BUILD_TIMEOUT_MS = 6 * 3_600_000;
const WATCH_MS = 1000;
/** Each call that moves vectors aims at this time: with one session every call waits for it, and else deletions do. */
const SLICE_MS = 30;
const FIRST_SLICE = 1;
const LARGEST_SLICE = 2000;
/** After this time the next space has its turn. */
const FILL_MS = 5000;
/** After so many moved vectors a scan would notice the room that they leave. */
const VACUUM_AFTER = 2000;
/** Between two tries to copy what others have locked. */
const LOCKED_MS = 100;

export type StepDeps = Pick<IngestDeps, 'db' | 'log' | 'observe'>;
/** One segment of a space. */
export type SpaceSegment = GrownSpace & Pick<VectorSegment, 'number'>;

/** Looks at up to `limit` vectors after a position; returns at how many, and the position of the last. */
type Slice = (at: { after: MovePosition | undefined; limit: number }) => Promise<{
  seen: number;
  last: MovePosition | undefined;
}>;

/**
 * Goes over vectors in short calls until there are no more or `endAt` has passed; true when there may be more. With one
 * session each call is followed by a pause of the same length for other callers.
 */
async function inSlices(db: Db, slice: Slice, endAt: number, signal: AbortSignal): Promise<boolean> {
  let limit = FIRST_SLICE;
  let after: MovePosition | undefined;
  while (performance.now() < endAt) {
    const started = performance.now();
    const { seen, last } = await slice({ after, limit });
    if (seen < limit) return false;
    after = last;
    const took = performance.now() - started;
    limit = Math.max(1, Math.min(LARGEST_SLICE, Math.floor(limit * Math.min(2, SLICE_MS / Math.max(1, took)))));
    if (db.capabilities.sessions === 'one') await sleep(took, signal);
  }
  return true;
}

/** Moves vectors from outside into a segment; true when it has moved some and others are left. */
export async function moveSome(db: Db, session: Queryable, space: SpaceSegment, signal: AbortSignal): Promise<boolean> {
  let sum = 0;
  const slice: Slice = async (at) => {
    const { moved, ...where } = await moveVectors(session, space, { number: space.number, ...at }, { signal });
    sum += moved;
    return where;
  };
  const hasMore = await inSlices(db, slice, performance.now() + FILL_MS, signal);
  const isNoticed = sum >= VACUUM_AFTER && db.capabilities.sessions === 'many';
  if (isNoticed) await vacuumShared(session, space.embedderId, { signal, timeoutMs: BUILD_TIMEOUT_MS });
  return hasMore && sum > 0;
}

/** Copies all vectors of some segments into another. Waits for those of memories that others have locked. */
export async function copyAll(
  db: Db,
  session: Queryable,
  space: SpaceSegment & { replaces: readonly number[] },
  signal: AbortSignal,
): Promise<void> {
  for (const from of space.replaces) {
    for (let skipped = 1; skipped > 0; ) {
      skipped = 0;
      const slice: Slice = async (at) => {
        const { skipped: these, ...where } = await copyVectors(
          session,
          space,
          { from, to: space.number, ...at },
          { signal },
        );
        skipped += these;
        return where;
      };
      await inSlices(db, slice, Number.POSITIVE_INFINITY, signal);
      if (skipped > 0) await sleep(LOCKED_MS, signal);
    }
  }
}

/** Builds the index of a segment; ends with an error as soon as the space is deleted. */
export async function buildIndex(
  { db, log, observe }: StepDeps,
  session: Queryable,
  { space, segment }: { space: GrownSpace; segment: VectorSegment },
  signal: AbortSignal,
): Promise<void> {
  const { spaceId, embedderId, vectorCount } = space;
  const started = performance.now();
  const key = { spaceId, embedderId };
  const way = openScope({ signal });
  const timer = setInterval(() => {
    selectVectorLayout(db.background, key, { timeoutMs: WATCH_MS }).then(
      (layout) => layout === undefined && way.controller.abort(),
      () => undefined,
    );
  }, WATCH_MS);
  try {
    const limits = { parallel: db.capabilities.parallelIndexBuild, timeoutMs: BUILD_TIMEOUT_MS };
    await buildSegmentIndex(session, { ...segment, ...key }, { ...limits, signal: way.signal });
  } finally {
    clearInterval(timer);
    way.close();
  }
  observe?.indexBuilt?.();
  const seconds = Math.round((performance.now() - started) / 1000);
  log.info({ ...key, vectorCount, segment: segment.number, seconds }, 'built a vector index of a space');
}
