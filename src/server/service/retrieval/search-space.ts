import { ServiceError } from '../../../shared/errors.ts';
import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { Logger } from '../../log.ts';
import type { CallOptions, Db } from '../../store/db.ts';
import { selectSpaceEmbedders } from '../../store/space-embedders.ts';
import { vectorIndexState } from '../../store/vector-promotion.ts';
import {
  countMatchingChunks,
  type HnswSettings,
  scoreChunks,
  searchVectors,
  type VectorHit,
  type VectorSearch,
} from '../../store/vector-search.ts';
import { bestWithEquals, type Candidate, combine, uniqueKeys } from './fusion.ts';
import { goneSpaces } from './lost-memories.ts';
import type { SpacePlan, WeightedEmbedder } from './plan.ts';
import { failedSearch, noEmbedders, partialSearch, spaceNotFound } from './search-statuses.ts';

export interface SpaceResult {
  /** Best first: those wanted, and what equals the last of them. */
  candidates: Candidate[];
  statuses: RetrieveMemoryEvent[];
  /** There may be more than these. */
  hasMore: boolean;
  /** How the space was scanned, for explain: `exact 1200` or `hnsw 100`, with the rows read. */
  scan: string;
  failed: boolean;
}

export interface SearchOptions {
  db: Db;
  vectors: ReadonlyMap<string, Float32Array>;
  hnsw: HnswSettings;
  /** Candidates wanted. */
  limit: number;
  /** Join the memories already in the search, because the caller found hidden ones among the results. */
  retrievableOnly: boolean;
  /** Look whether the index was there, for `scan`. */
  explain: boolean;
  /** Epoch milliseconds: what the searches of all spaces have not found by then is left out. */
  deadlineMs: number;
  signal: AbortSignal;
  log: Logger;
}

/** One embedder of a space with the question as it sees it. */
interface Ranking extends WeightedEmbedder {
  query: Float32Array;
}

/** The bounds of one statement of a search. Throws DEADLINE_EXCEEDED when its time is up. */
function boundsOf({ deadlineMs, signal }: Pick<SearchOptions, 'deadlineMs' | 'signal'>): CallOptions {
  const timeoutMs = deadlineMs - Date.now();
  if (timeoutMs <= 0) throw new ServiceError('DEADLINE_EXCEEDED', 'The time for the search is up');
  return { signal, timeoutMs };
}

/** Below this many matching chunks, reading just those beats a filtered walk through the index. */
const EXACT_MATCH_LIMIT = 5000;

/**
 * The best chunks of one space. A failure of the search is a status event, so that other spaces are still served; a
 * database that is away is thrown.
 */
export async function searchSpace(plan: SpacePlan, options: SearchOptions): Promise<SpaceResult> {
  const rankings = plan.embedders.flatMap((embedder): Ranking[] => {
    const query = options.vectors.get(embedder.embedderId);
    return query === undefined ? [] : [{ ...embedder, query }];
  });
  if (rankings.length === 0) {
    return plan.embedders.length > 0 ? NOTHING : { ...NOTHING, statuses: [noEmbedders(plan.spaceId)] };
  }
  try {
    const result = await searchRankings(plan, rankings, options);
    const isStrange = result.candidates.length === 0 && rankings.some(({ vectorCount }) => vectorCount > 0);
    return isStrange && plan.filter === undefined && (await isGone(plan, options)) ? goneSpace(plan) : result;
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof ServiceError && error.code === 'UNAVAILABLE') throw error;
    if (await isGone(plan, options)) return goneSpace(plan);
    options.log.error({ err: error, spaceId: plan.spaceId }, 'the search of a space failed');
    return { ...NOTHING, statuses: [failedSearch(plan.spaceId, error)], scan: 'failed', failed: true };
  }
}

const NOTHING: SpaceResult = { candidates: [], statuses: [], hasMore: false, scan: 'exact 0', failed: false };

function goneSpace({ spaceId }: SpacePlan): SpaceResult {
  return { ...NOTHING, statuses: [spaceNotFound(spaceId)] };
}

/**
 * Whether the space was deleted since the call was planned; its vectors go with it. Where that cannot be told, it is not
 * known to be: only the wording of a status hangs on it, and the other spaces must be served.
 */
async function isGone({ spaceId }: SpacePlan, { db, signal, log }: SearchOptions): Promise<boolean> {
  try {
    return (await goneSpaces(db, [spaceId], { signal })).length > 0;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError && error.code === 'UNAVAILABLE') throw error;
    log.warn({ err: error, spaceId }, 'could not look up whether a space still exists');
    return false;
  }
}

async function searchRankings(
  plan: SpacePlan,
  rankings: readonly Ranking[],
  options: SearchOptions,
): Promise<SpaceResult> {
  // Only an embedder that counts for a chunk brings candidates; when none does, the least bad of the others do.
  const positive = rankings.filter(({ weight }) => weight > 0);
  const sources = positive.length > 0 ? positive : rankings;
  const found = await Promise.all(sources.map((ranking) => searchRanking(plan, ranking, options)));
  const keys = uniqueKeys(found.flatMap(({ hits }) => hits));
  const scores = await Promise.all(
    rankings.map((ranking) => {
      const own = found[sources.indexOf(ranking)];
      return rankings.length === 1 && own !== undefined ? own.hits : scoreRanking(plan, ranking, keys, options);
    }),
  );
  const candidates = combine(plan.spaceId, rankings, scores);
  return {
    candidates: bestWithEquals(candidates, options.limit),
    statuses: found.flatMap(({ statuses }) => statuses),
    hasMore: found.some(({ hits }) => hits.length >= options.limit),
    scan: found.map(({ scan }) => scan).join(', '),
    failed: false,
  };
}

interface RankingResult {
  hits: VectorHit[];
  statuses: RetrieveMemoryEvent[];
  scan: string;
}

async function searchRanking(plan: SpacePlan, ranking: Ranking, options: SearchOptions): Promise<RankingResult> {
  const result = await searchPartition(plan, ranking, options);
  const isAll = plan.filter === undefined && result.hits.length >= ranking.vectorCount;
  if (result.hits.length >= options.limit || isAll || !(await hasMoved(plan, ranking, options))) return result;
  return await searchPartition(plan, { ...ranking, ownPartition: true }, options);
}

/**
 * Whether the vectors of the space have gone into a partition of their own since the plan was made. While they go,
 * searches of the shared partition wait, and then find nothing there.
 */
async function hasMoved(
  { spaceId }: SpacePlan,
  { embedderId, ownPartition }: Ranking,
  options: SearchOptions,
): Promise<boolean> {
  if (ownPartition) return false;
  const rows = await selectSpaceEmbedders(options.db.main, [spaceId], boundsOf(options));
  return rows.some((row) => row.embedderId === embedderId && row.ownPartition);
}

async function searchPartition(plan: SpacePlan, ranking: Ranking, options: SearchOptions): Promise<RankingResult> {
  const { db, limit } = options;
  const matching = await matchingChunks(plan, ranking, options);
  const exact =
    !ranking.ownPartition || ranking.weight < 0 || (matching !== undefined && matching <= EXACT_MATCH_LIMIT);
  const search: VectorSearch = {
    vectors: { spaceId: plan.spaceId, embedderId: ranking.embedderId, ownPartition: ranking.ownPartition },
    query: ranking.query,
    limit,
    order: ranking.weight < 0 ? 'farthest' : 'nearest',
    hnsw: exact ? undefined : options.hnsw,
    filter: plan.filter,
    memories: options.retrievableOnly ? 'retrievable' : 'any',
  };
  const hits = await nearestHits(db, search, options);
  const wanted = Math.min(limit, matching ?? ranking.vectorCount);
  const scan =
    exact || (options.explain && !(await isIndexed(plan, ranking, options)))
      ? `exact ${matching ?? ranking.vectorCount}`
      : `hnsw ${Math.max(options.hnsw.efSearch, limit)}`;
  if (exact || hits.length >= wanted) return { hits, statuses: [], scan };
  if (canReadAll(ranking, options.hnsw)) {
    const all = await nearestHits(db, { ...search, hnsw: undefined }, options);
    return { hits: all, statuses: [], scan: `${scan}, exact ${ranking.vectorCount}` };
  }
  const statuses = matching === undefined ? [] : [partialSearch(plan.spaceId, hits.length, wanted)];
  return { hits, statuses, scan };
}

/** Until its index is built, the database reads a large space row by row. */
async function isIndexed({ spaceId }: SpacePlan, { embedderId }: Ranking, options: SearchOptions): Promise<boolean> {
  return (await vectorIndexState(options.db.main, { spaceId, embedderId }, boundsOf(options))) === 'valid';
}

/**
 * Whether a walk that came back short may be followed by a look at every row. In a space within the bound that the
 * caller set it was not the bound that ended the walk: a cluster whose neighbours are all its own is an island in the
 * graph, and what its rows hide cannot be reached from there.
 */
function canReadAll({ vectorCount }: Ranking, { iterativeScan, maxScanTuples }: HnswSettings): boolean {
  return iterativeScan !== 'off' && vectorCount <= maxScanTuples;
}

async function nearestHits(db: Db, search: VectorSearch, options: SearchOptions): Promise<VectorHit[]> {
  const { limit } = search;
  const found = await searchVectors(db, search, boundsOf(options));
  // Equals on both sides of the limit: which of them are shown depends on their memories.
  const isCut = found.length > limit && found[limit]?.similarity === found[limit - 1]?.similarity;
  const hits = isCut
    ? await searchVectors(db, { ...search, memories: 'retrievable and ordered' }, boundsOf(options))
    : found;
  return hits.slice(0, limit);
}

/** How selective the filter is, where that decides anything: in a large space. */
async function matchingChunks(
  plan: SpacePlan,
  { ownPartition }: Ranking,
  options: SearchOptions,
): Promise<number | undefined> {
  if (!ownPartition || plan.filter === undefined) return undefined;
  return await countMatchingChunks(options.db, plan.spaceId, plan.filter, EXACT_MATCH_LIMIT + 1, boundsOf(options));
}

async function scoreRanking(
  plan: SpacePlan,
  ranking: Ranking,
  keys: readonly VectorHit[],
  options: SearchOptions,
): Promise<VectorHit[]> {
  const { spaceId } = plan;
  const { embedderId, ownPartition, query } = ranking;
  const score = (own: boolean) =>
    scoreChunks(options.db, { spaceId, embedderId, ownPartition: own }, query, keys, boundsOf(options));
  const scores = await score(ownPartition);
  return scores.length < keys.length && (await hasMoved(plan, ranking, options)) ? await score(true) : scores;
}
