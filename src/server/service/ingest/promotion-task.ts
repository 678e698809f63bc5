import { openScope } from '../../../shared/async/deadline.ts';
import { sleep } from '../../../shared/async/timer.ts';
import type { Db } from '../../store/db.ts';
import {
  buildVectorIndex,
  createVectorIndex,
  type GrownSpace,
  isPartitionWanted,
  type MovePosition,
  moveFreshVectors,
  moveToOwnPartition,
  selectGrownSpaces,
  vectorIndexState,
} from '../../store/vector-promotion.ts';
import type { IngestDeps } from './deps.ts';
import { runPeriodically } from './periodic.ts';

const EVERY_MS = 10_000;
const MOVE_TIMEOUT_MS = 120_000;
/** An index of a million vectors takes about ten minutes. */
const BUILD_TIMEOUT_MS = 6 * 3_600_000;
const WANTED_POLL_MS = 1000;
/** Each call that fills the index aims at this time: with one session every call waits for it, and else deletions do. */
const SLICE_MS = 30;
const FIRST_SLICE = 1;
const LARGEST_SLICE = 256;
/** After this time the next space is filled. */
const FILL_MS = 5000;

/**
 * Gives spaces with more vectors than an exact scan should read a partition of their own with an HNSW index. A search
 * finds every vector at any time, since vectors that are not in the index yet are scanned exactly.
 */
export function startPromotion(deps: IngestDeps, stop: AbortSignal): Promise<void> {
  const run = (signal: AbortSignal) => promoteOnce(deps, signal);
  return runPeriodically(deps, { name: 'vector index', everyMs: EVERY_MS, run }, stop);
}

/** Takes the next step for every grown space; true when there is more to do. */
export async function promoteOnce({ db, log }: Pick<IngestDeps, 'db' | 'log'>, signal: AbortSignal): Promise<boolean> {
  const { exactScanLimit, sessions } = db.capabilities;
  // Moving is a single call whatever the size of the space, so with one session it is done while the space is small.
  const partitionLimit = sessions === 'one' ? Math.floor(exactScanLimit / 10) : exactScanLimit;
  let hasMore = false;
  for (const space of await selectGrownSpaces(db.background, partitionLimit, { signal })) {
    if (!space.ownPartition) {
      const into = sessions === 'one' ? 'fresh' : 'hnsw';
      const options = { signal, timeoutMs: MOVE_TIMEOUT_MS };
      const isMoved = await db.background.withTx((tx) => moveToOwnPartition(tx, space, into), options);
      if (isMoved) log.info({ ...space }, 'created the vector partition of a space');
      hasMore = true;
    } else if (sessions === 'many') {
      await build(db, space, signal, log);
      hasMore = (await fill(db, space, signal)) || hasMore;
    } else if (space.vectorCount > exactScanLimit) {
      const state = await vectorIndexState(db.background, space, { signal });
      if (state === 'absent') await createVectorIndex(db.background, space, { signal });
      hasMore = (await fill(db, space, signal)) || hasMore;
    }
  }
  return hasMore;
}

async function build(db: Db, space: GrownSpace, signal: AbortSignal, log: IngestDeps['log']): Promise<void> {
  if ((await vectorIndexState(db.background, space, { signal })) === 'valid') return;
  const started = performance.now();
  const limits = { parallel: db.capabilities.parallelIndexBuild, timeoutMs: BUILD_TIMEOUT_MS };
  // A deletion of the space waits for the build, and searches of other spaces wait for the deletion: abort the build then.
  const way = openScope({ signal });
  const timer = setInterval(() => {
    isPartitionWanted(db.background, space, { timeoutMs: WANTED_POLL_MS }).then(
      (isWanted) => isWanted && way.controller.abort(),
      () => undefined,
    );
  }, WANTED_POLL_MS);
  try {
    const isBuilt = await db.background.withSession(
      (session) => buildVectorIndex(session, space, { ...limits, signal: way.signal }),
      { timeoutMs: BUILD_TIMEOUT_MS },
    );
    const seconds = Math.round((performance.now() - started) / 1000);
    if (isBuilt) log.info({ ...space, seconds }, 'built the vector index of a space');
  } finally {
    clearInterval(timer);
    way.close();
  }
}

/**
 * Moves new vectors into the index in short calls; true when it has moved some and others are left. With one session each
 * call is followed by a pause of the same length for other callers.
 */
async function fill(db: Db, space: GrownSpace, signal: AbortSignal): Promise<boolean> {
  let limit = FIRST_SLICE;
  let after: MovePosition | undefined;
  let hasMoved = false;
  for (const end = performance.now() + FILL_MS; performance.now() < end; ) {
    const started = performance.now();
    const { seen, moved, last } = await moveFreshVectors(db.background, space, { after, limit }, { signal });
    hasMoved ||= moved > 0;
    if (seen < limit) return false;
    after = last;
    const took = performance.now() - started;
    limit = Math.max(1, Math.min(LARGEST_SLICE, Math.floor(limit * Math.min(2, SLICE_MS / Math.max(1, took)))));
    if (db.capabilities.sessions === 'one') await sleep(took, signal);
  }
  return hasMoved;
}
