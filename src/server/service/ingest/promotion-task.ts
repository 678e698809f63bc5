import { sleep } from '../../../shared/async/timer.ts';
import { Wakeup } from '../../../shared/async/wakeup.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { TransientDatabaseError } from '../../store/errors.ts';
import { selectVectorLayout, type VectorSegment } from '../../store/vector-layout.ts';
import { estimateRows, hasValidIndex, replaceSegments } from '../../store/vector-merge.ts';
import {
  countOutside,
  createSegment,
  dropSegmentTable,
  type GrownSpace,
  markSegment,
  selectGrownSpaces,
  selectSegmentTables,
  withSegmentLock,
} from '../../store/vector-promotion.ts';
import { segmentTable } from '../../store/vector-tables.ts';
import type { IngestDeps } from './deps.ts';
import { runPeriodically } from './periodic.ts';
import { BUILD_TIMEOUT_MS, buildIndex, copyAll, moveSome, type StepDeps } from './segment-steps.ts';

const EVERY_MS = 3000;
/**
 * A space that gets more vectors than this from one look to the next waits for another look, so that what comes at once is in
 * one segment. No more is counted than makes a segment, so that one which never stops growing seems to have stopped by then.
 */
const STILL_GROWS = 1000;
/** Each indexed segment costs a search a walk of its own. */
const MOST_SEGMENTS = 4;
/** A walk passes deleted vectors too: with more than a fifth of them a segment is built anew. */
const MOST_DEAD = 0.2;
/** More vectors outside the indexes of one space count as this many. */
const MOST_COUNTED = 100_000;
/** Between tries to change what others have locked. */
const LOCKED_MS = 100;

/**
 * Gives spaces with more vectors than an exact scan should read indexed segments of their own, and moves what comes later
 * into them. A search finds every vector at any time, since vectors that are not in an index are scanned exactly.
 *
 * One index is built at a time, since it takes a core for minutes; what the other spaces need meanwhile takes seconds and is
 * done beside it.
 */
export async function startPromotion(deps: IngestDeps, stop: AbortSignal): Promise<void> {
  const wakes = { moves: new Wakeup(), builds: new Wakeup() };
  const seen: SeenOutside = new Map();
  const moves = (...call: Parameters<typeof buildOnce>) => moveOnce(...call, seen);
  const loop = (name: string, wake: Wakeup, next: Wakeup, step: typeof buildOnce) => {
    const run = async (signal: AbortSignal) => {
      const hasMore = await step(deps, signal);
      if (hasMore) next.notify();
      return hasMore;
    };
    return runPeriodically(deps, { name, everyMs: EVERY_MS, run, wake }, stop);
  };
  await Promise.all([
    loop('vector segments', wakes.moves, wakes.builds, moves),
    loop('vector index', wakes.builds, wakes.moves, buildOnce),
  ]);
}

/** How many vectors were outside the segments at the last look, by the ids of space and embedder. */
type SeenOutside = Map<string, number>;

function nameOf({ spaceId, embedderId }: GrownSpace): string {
  return `${spaceId} ${embedderId}`;
}

/** Takes the next short step for every grown space; true when there is more to do. */
export async function moveOnce(deps: StepDeps, signal: AbortSignal, seen: SeenOutside = new Map()): Promise<boolean> {
  const { db } = deps;
  // Listed first: what is made from now on belongs to a space in the same transaction.
  const tables = await selectSegmentTables(db.background, { signal });
  const spaces = await selectGrownSpaces(db.background, db.capabilities.exactScanLimit, { signal });
  await dropUnused(deps, tables, spaces, signal);
  await countAll(deps, spaces, signal);
  const names = new Set(spaces.map(nameOf));
  for (const name of seen.keys()) if (!names.has(name)) seen.delete(name);
  let hasMore = false;
  for (const space of spaces.filter((one) => unfinishedOf(one) === undefined)) {
    const take = (session: Queryable) => advance(deps, session, { space, seen }, signal);
    hasMore = (await step(deps, space, take, signal)) || hasMore;
  }
  return hasMore;
}

/** Takes the next step for every unfinished segment, which may be the build of its index; true when there is more to do. */
export async function buildOnce(deps: StepDeps, signal: AbortSignal): Promise<boolean> {
  const { db } = deps;
  const spaces = await selectGrownSpaces(db.background, db.capabilities.exactScanLimit, { signal });
  let hasMore = false;
  for (const space of spaces.filter((one) => unfinishedOf(one) !== undefined)) {
    const take = (session: Queryable) => finish(deps, session, space, signal);
    hasMore = (await step(deps, space, take, signal)) || hasMore;
  }
  return hasMore;
}

function unfinishedOf({ layout }: GrownSpace): VectorSegment | undefined {
  return layout.segments.find(({ state }) => state !== 'INDEXED');
}

/** Takes a step for one space, whose segments nothing else changes meanwhile; true when there is more to do. */
async function step(
  { db: { background, capabilities } }: StepDeps,
  space: GrownSpace,
  take: (session: Queryable) => Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  const takeOn = async (session: Queryable) => {
    const current = await selectVectorLayout(session, space, { signal });
    if (current?.version !== space.layout.version) return current !== undefined;
    return await take(session);
  };
  if (capabilities.sessions === 'one') return await takeOn(background);
  const hasStepped = await background.withSession((session) => withSegmentLock(session, space, () => takeOn(session)), {
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  return hasStepped === true;
}

/** Tells how many vectors searches scan beside an index. */
async function countAll({ db, observe }: StepDeps, spaces: readonly GrownSpace[], signal: AbortSignal): Promise<void> {
  if (observe?.vectorsOutside === undefined) return;
  let sum = 0;
  for (const space of spaces.filter(({ layout }) => layout.segments.length > 0)) {
    sum += await countOutside(db.background, space, MOST_COUNTED, { signal });
  }
  observe.vectorsOutside(sum);
}

/** Drops the segments of deleted spaces; one that a statement still uses waits for the next time. */
async function dropUnused({ db, log }: StepDeps, tables: string[], spaces: GrownSpace[], signal: AbortSignal) {
  const used = new Set(
    spaces.flatMap((space) => space.layout.segments.map(({ number }) => segmentTable(space, number))),
  );
  for (const table of tables.filter((name) => !used.has(name))) {
    const drop = () => db.background.withTx((tx) => dropSegmentTable(tx, table), { signal }).then(() => true);
    if (await unlessLocked(drop)) log.info({ table }, 'dropped a vector table that no space uses any more');
  }
}

/** Takes the next step for one space all of whose segments are finished; true when there is more to do. */
async function advance(
  deps: StepDeps,
  session: Queryable,
  { space, seen }: { space: GrownSpace; seen: SeenOutside },
  signal: AbortSignal,
): Promise<boolean> {
  const { db } = deps;
  const { segments } = space.layout;
  const limit = db.capabilities.exactScanLimit;
  const most = sizeOfNext(db, space);
  const outside = await countOutside(session, space, most + 1, { signal });
  const stillGrows = outside - (seen.get(nameOf(space)) ?? outside) > STILL_GROWS;
  seen.set(nameOf(space), outside);
  const [last] = segments.slice(-1);
  // With one session all calls would wait for the build of an index, so it is made before there is anything in it.
  if (db.capabilities.sessions === 'one') {
    if (last === undefined) return outside > most && (await create(deps, space, { state: 'INDEXED' }, signal));
    return await moveSome(db, session, { ...space, number: last.number }, signal);
  }
  if (stillGrows) return false;
  if (outside > most && segments.length < MOST_SEGMENTS) return await create(deps, space, { state: 'PLAIN' }, signal);
  const replaces = await replaceable(session, space, outside > most || outside <= limit, signal);
  if (replaces.length > 0) return await create(deps, space, { state: 'FILLING', replaces }, signal);
  return last !== undefined && (await moveSome(db, session, { ...space, number: last.number }, signal));
}

/**
 * More vectors than this outside make a segment of their own: building it, and all into one later, takes less time than to
 * insert them into an index. Fewer join the last segment.
 */
function sizeOfNext({ capabilities }: Db, { vectorCount, layout }: GrownSpace): number {
  const { exactScanLimit } = capabilities;
  return layout.segments.length === 0 ? exactScanLimit : Math.max(exactScanLimit, Math.floor(vectorCount / 8));
}

/**
 * The segments to replace by one: all, when there are several and either no more may be added or little is left outside;
 * else those with too many deleted vectors.
 */
async function replaceable(q: Queryable, space: GrownSpace, mayMerge: boolean, signal: AbortSignal): Promise<number[]> {
  const numbers = space.layout.segments.map(({ number }) => number);
  if (mayMerge && numbers.length > 1) return numbers;
  const rows = await Promise.all(numbers.map((number) => estimateRows(q, space, number, { signal })));
  const isWorn = ({ alive, dead }: { alive: number; dead: number }) => dead > MOST_DEAD * (alive + dead);
  return numbers.filter((_, index) => isWorn(rows[index] ?? { alive: 0, dead: 0 }));
}

async function create(
  { db, log }: StepDeps,
  space: GrownSpace,
  segment: Pick<VectorSegment, 'state' | 'replaces'>,
  signal: AbortSignal,
): Promise<boolean> {
  const isMade = await unlessLocked(() => db.background.withTx((tx) => createSegment(tx, space, segment), { signal }));
  const { spaceId, embedderId, vectorCount } = space;
  if (isMade) log.info({ spaceId, embedderId, vectorCount, ...segment }, 'created a vector table for a space');
  else await sleep(LOCKED_MS, signal);
  return true;
}

/** Takes an unfinished segment one state further, also one that another server has left so. */
async function finish(deps: StepDeps, session: Queryable, space: GrownSpace, signal: AbortSignal): Promise<boolean> {
  const { db } = deps;
  const segment = unfinishedOf(space);
  if (segment === undefined) return true;
  const { number, state, replaces = [] } = segment;
  const own = { ...space, number };
  if (state === 'FILLING') {
    await copyAll(db, session, { ...own, replaces }, signal);
    return await markSegment(session, space, { number, state: 'COPIED' }, { signal });
  }
  if (state === 'PLAIN') while (await moveSome(db, session, own, signal));
  if (!(await hasValidIndex(session, space, number, { signal })))
    await buildIndex(deps, session, { space, segment }, signal);
  if (state === 'PLAIN') return await markSegment(session, space, { number, state: 'INDEXED' }, { signal });
  const replace = () => db.background.withTx((tx) => replaceSegments(tx, space, { number, replaces }), { signal });
  if (!(await unlessLocked(replace))) await sleep(LOCKED_MS, signal);
  return true;
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
