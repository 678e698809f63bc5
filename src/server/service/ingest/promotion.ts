import { sleep } from '../../../shared/async/timer.ts';
import type { Db } from '../../store/db.ts';
import {
  buildVectorIndex,
  createVectorIndex,
  type GrownSpace,
  isPartitionWanted,
  moveFreshVectors,
  moveToOwnPartition,
  selectGrownSpaces,
  vectorIndexState,
} from '../../store/vector-promotion.ts';
import type { IngestDeps } from './deps.ts';
import { runPeriodically } from './periodic.ts';

const EVERY_MS = 10_000;
const MOVE_TIMEOUT_MS = 120_000;
/** A million vectors take some ten minutes. */
const BUILD_TIMEOUT_MS = 6 * 3_600_000;
const WANTED_POLL_MS = 1000;
/** Where one session serves everybody, a call that fills the index aims at this time. */
const SLICE_MS = 30;
const FIRST_SLICE = 1;
const LARGEST_SLICE = 256;
/** Then the other spaces have their turn. */
const FILL_MS = 5000;

/**
 * Watches how spaces grow. One that has more vectors than an exact scan should read gets a partition of its own with an
 * HNSW index. A search finds every vector at any moment: the part under construction is scanned as it is.
 */
export function startPromotion(deps: IngestDeps, stop: AbortSignal): Promise<void> {
  const run = (signal: AbortSignal) => promoteOnce(deps, signal);
  return runPeriodically(deps, { name: 'vector index', everyMs: EVERY_MS, run }, stop);
}

/** Does the next thing for every space that has grown; true when there is more to do. */
export async function promoteOnce({ db, log }: Pick<IngestDeps, 'db' | 'log'>, signal: AbortSignal): Promise<boolean> {
  const { exactScanLimit, sessions } = db.capabilities;
  // Moving is one call however large a space is, so where a call holds up everybody it comes early.
  const partitionLimit = sessions === 'one' ? Math.floor(exactScanLimit / 10) : exactScanLimit;
  let hasMore = false;
  for (const space of await selectGrownSpaces(db.background, partitionLimit, { signal })) {
    if (!space.ownPartition) {
      const into = sessions === 'one' ? 'fresh' : 'hnsw';
      const options = { signal, timeoutMs: MOVE_TIMEOUT_MS };
      const isMoved = await db.background.withTx((tx) => moveToOwnPartition(tx, space, into), options);
      if (isMoved) log.info({ ...space }, 'a space has got its own vector partition');
      hasMore = true;
    } else if (sessions === 'many') await build(db, space, signal, log);
    else if (space.vectorCount > exactScanLimit) hasMore = (await fill(db, space, signal)) || hasMore;
  }
  return hasMore;
}

async function build(db: Db, space: GrownSpace, signal: AbortSignal, log: IngestDeps['log']): Promise<void> {
  if ((await vectorIndexState(db.background, space, { signal })) === 'valid') return;
  const started = performance.now();
  const limits = { parallel: db.capabilities.parallelIndexBuild, timeoutMs: BUILD_TIMEOUT_MS };
  // A deletion of the space waits for the build, and searches of other spaces wait for the deletion: make way.
  const way = new AbortController();
  const giveWay = () => way.abort(signal.reason);
  signal.addEventListener('abort', giveWay, { once: true });
  const timer = setInterval(() => {
    isPartitionWanted(db.background, space, { timeoutMs: WANTED_POLL_MS }).then(
      (isWanted) => isWanted && way.abort(),
      () => undefined,
    );
  }, WANTED_POLL_MS);
  try {
    const isBuilt = await db.background.withSession(
      (session) => buildVectorIndex(session, space, { ...limits, signal: way.signal }),
      { timeoutMs: BUILD_TIMEOUT_MS },
    );
    const seconds = Math.round((performance.now() - started) / 1000);
    if (isBuilt) log.info({ ...space, seconds }, 'the vector index of a space is ready');
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', giveWay);
  }
}

/** Fills the index call by call, each short, and leaves the session to others for as long as it took; true when something is left. */
async function fill(db: Db, space: GrownSpace, signal: AbortSignal): Promise<boolean> {
  const state = await vectorIndexState(db.background, space, { signal });
  if (state === 'absent') await createVectorIndex(db.background, space, { signal });
  let limit = FIRST_SLICE;
  for (const end = performance.now() + FILL_MS; performance.now() < end; ) {
    const started = performance.now();
    const moved = await moveFreshVectors(db.background, space, limit, { signal });
    if (moved < limit) return false;
    const took = performance.now() - started;
    limit = Math.max(1, Math.min(LARGEST_SLICE, Math.floor(limit * Math.min(2, SLICE_MS / Math.max(1, took)))));
    await sleep(took, signal);
  }
  return true;
}
