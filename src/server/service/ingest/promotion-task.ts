import { openScope } from '../../../shared/async/deadline.ts';
import { sleep } from '../../../shared/async/timer.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { TransientDatabaseError } from '../../store/errors.ts';
import { selectVectorLayout, type VectorSegment } from '../../store/vector-layout.ts';
import {
  buildSegmentIndex,
  countOutside,
  createSegment,
  dropSegmentTable,
  type GrownSpace,
  type MovePosition,
  markIndexed,
  moveVectors,
  selectGrownSpaces,
  selectSegmentTables,
  vacuumShared,
  withSegmentLock,
} from '../../store/vector-promotion.ts';
import { segmentTable } from '../../store/vector-tables.ts';
import type { IngestDeps } from './deps.ts';
import { runPeriodically } from './periodic.ts';

const EVERY_MS = 10_000;
/** An index of a million vectors takes about ten minutes. */
const BUILD_TIMEOUT_MS = 6 * 3_600_000;
const WATCH_MS = 1000;
/** Each call that moves vectors aims at this time: with one session every call waits for it, and else deletions do. */
const SLICE_MS = 30;
const FIRST_SLICE = 1;
const LARGEST_SLICE = 2000;
/** After this time the next space has its turn. */
const FILL_MS = 5000;
/** Each indexed segment costs a search a walk of its own. */
const MOST_SEGMENTS = 4;
/** Between tries to change what others have locked. */
const LOCKED_MS = 100;
/** After so many moved vectors a scan would notice the room that they leave. */
const VACUUM_AFTER = 2000;

type Deps = Pick<IngestDeps, 'db' | 'log'>;

/**
 * Gives spaces with more vectors than an exact scan should read indexed segments of their own, and moves what comes later
 * into them. A search finds every vector at any time, since vectors that are not in an index are scanned exactly.
 */
export function startPromotion(deps: IngestDeps, stop: AbortSignal): Promise<void> {
  const run = (signal: AbortSignal) => promoteOnce(deps, signal);
  return runPeriodically(deps, { name: 'vector index', everyMs: EVERY_MS, run }, stop);
}

/** Takes the next step for every grown space; true when there is more to do. */
export async function promoteOnce(deps: Deps, signal: AbortSignal): Promise<boolean> {
  const { db } = deps;
  // Listed first: what is made from now on belongs to a space in the same transaction.
  const tables = await selectSegmentTables(db.background, { signal });
  const spaces = await selectGrownSpaces(db.background, db.capabilities.exactScanLimit, { signal });
  await dropUnused(deps, tables, spaces, signal);
  let hasMore = false;
  for (const space of spaces) {
    const isMany = db.capabilities.sessions === 'many';
    const hasStepped = isMany
      ? await db.background.withSession(
          (session) => withSegmentLock(session, space, () => advance(deps, session, space, signal)),
          { timeoutMs: BUILD_TIMEOUT_MS },
        )
      : await advance(deps, db.background, space, signal);
    hasMore = hasStepped === true || hasMore;
  }
  return hasMore;
}

/** Drops the segments of deleted spaces; one that a statement still uses waits for the next time. */
async function dropUnused({ db, log }: Deps, tables: string[], spaces: GrownSpace[], signal: AbortSignal) {
  const used = new Set(
    spaces.flatMap((space) => space.layout.segments.map(({ number }) => segmentTable(space, number))),
  );
  for (const table of tables.filter((name) => !used.has(name))) {
    const drop = () => db.background.withTx((tx) => dropSegmentTable(tx, table), { signal }).then(() => true);
    if (await unlessLocked(drop)) log.info({ table }, 'dropped a vector table that no space uses any more');
  }
}

/** Takes the next step for one space, whose segments no other server changes meanwhile; true when there is more to do. */
async function advance(deps: Deps, session: Queryable, space: GrownSpace, signal: AbortSignal): Promise<boolean> {
  const { db, log } = deps;
  const { segments, version } = space.layout;
  const current = await selectVectorLayout(session, space, { signal });
  if (current?.version !== version) return current !== undefined;
  const unfinished = segments.find(({ state }) => state === 'PLAIN');
  if (unfinished !== undefined) return await finish(deps, session, { ...space, number: unfinished.number }, signal);
  const limit = sizeOfNext(db, space);
  if (limit !== undefined && (await countOutside(session, space, limit + 1, { signal })) > limit) {
    // With one session nobody could wait for the build of an index, so it is made before there is anything in it.
    const state = db.capabilities.sessions === 'one' ? 'INDEXED' : 'PLAIN';
    const isMade = await unlessLocked(() => db.background.withTx((tx) => createSegment(tx, space, state), { signal }));
    if (isMade) log.info(keyOf(space), 'created a vector table for a space');
    else await sleep(LOCKED_MS, signal);
    return true;
  }
  const last = segments.at(-1);
  return last !== undefined && (await move(db, session, { ...space, number: last.number }, signal));
}

/** False when the work had to wait too long for a lock. */
async function unlessLocked(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TransientDatabaseError && error.reason === 'conflict') return false;
    throw error;
  }
}

/**
 * More vectors than this outside make a segment of their own, which is built in a third of the time that it takes to insert
 * them into an index; fewer join the last segment, as do all once there are enough segments: undefined.
 */
function sizeOfNext({ capabilities }: Db, { vectorCount, layout }: GrownSpace): number | undefined {
  const { exactScanLimit, sessions } = capabilities;
  if (layout.segments.length === 0) return exactScanLimit;
  const mayHaveMore = sessions === 'many' && layout.segments.length < MOST_SEGMENTS;
  return mayHaveMore ? Math.max(exactScanLimit, Math.floor(vectorCount / 3)) : undefined;
}

type SpaceSegment = GrownSpace & Pick<VectorSegment, 'number'>;

/** Moves all vectors into the segment and builds its index. */
async function finish(deps: Deps, session: Queryable, space: SpaceSegment, signal: AbortSignal): Promise<boolean> {
  const { db, log } = deps;
  while (await move(db, session, space, signal));
  const started = performance.now();
  // A deletion of the space does not wait for the build, which nobody needs then.
  const way = openScope({ signal });
  const timer = setInterval(() => {
    selectVectorLayout(db.background, space, { timeoutMs: WATCH_MS }).then(
      (layout) => layout === undefined && way.controller.abort(),
      () => undefined,
    );
  }, WATCH_MS);
  try {
    const limits = { parallel: db.capabilities.parallelIndexBuild, timeoutMs: BUILD_TIMEOUT_MS };
    await buildSegmentIndex(session, space, { ...limits, signal: way.signal });
  } finally {
    clearInterval(timer);
    way.close();
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  log.info({ ...keyOf(space), segment: space.number, seconds }, 'built a vector index of a space');
  return await markIndexed(session, space, space.number, { signal });
}

/**
 * Moves vectors into a segment in short calls; true when it has moved some and others are left. With one session each call
 * is followed by a pause of the same length for other callers.
 */
async function move(db: Db, session: Queryable, space: SpaceSegment, signal: AbortSignal): Promise<boolean> {
  let limit = FIRST_SLICE;
  let after: MovePosition | undefined;
  let sum = 0;
  let hasMore = true;
  for (const end = performance.now() + FILL_MS; hasMore && performance.now() < end; ) {
    const started = performance.now();
    const { seen, moved, last } = await moveVectors(session, space, { number: space.number, after, limit }, { signal });
    sum += moved;
    hasMore = seen === limit;
    after = last;
    const took = performance.now() - started;
    limit = Math.max(1, Math.min(LARGEST_SLICE, Math.floor(limit * Math.min(2, SLICE_MS / Math.max(1, took)))));
    if (db.capabilities.sessions === 'one') await sleep(took, signal);
  }
  const isNoticed = sum >= VACUUM_AFTER && db.capabilities.sessions === 'many';
  if (isNoticed) await vacuumShared(session, space.embedderId, { signal, timeoutMs: BUILD_TIMEOUT_MS });
  return hasMore && sum > 0;
}

function keyOf({ spaceId, embedderId, vectorCount }: GrownSpace) {
  return { spaceId, embedderId, vectorCount };
}
