import { ServiceError } from '../../../shared/errors.ts';
import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { Logger } from '../../log.ts';
import type { Db } from '../../store/db.ts';
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
import type { SpacePlan, WeightedEmbedder } from './plan.ts';
import { failedSearch, noEmbedders, partialSearch } from './search-statuses.ts';

/** A chunk with its weighted similarity. */
export interface Candidate {
  spaceId: string;
  memoryId: string;
  sequence: number;
  score: number;
}

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
  visibleOnly: boolean;
  /** Look whether the index was there, for `scan`. */
  explain: boolean;
  signal: AbortSignal;
  log: Logger;
}

/** One embedder of a space with the question as it sees it. */
interface Ranking extends WeightedEmbedder {
  query: Float32Array;
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
    const statuses = plan.embedders.length > 0 ? [] : [noEmbedders(plan.spaceId)];
    return { candidates: [], statuses, hasMore: false, scan: 'exact 0', failed: false };
  }
  try {
    return await searchRankings(plan, rankings, options);
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof ServiceError && error.code === 'UNAVAILABLE') throw error;
    options.log.error({ err: error, spaceId: plan.spaceId }, 'the search of a space failed');
    const statuses = [failedSearch(plan.spaceId, error)];
    return { candidates: [], statuses, hasMore: false, scan: 'failed', failed: true };
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
  { db, signal }: SearchOptions,
): Promise<boolean> {
  if (ownPartition) return false;
  const rows = await selectSpaceEmbedders(db.main, [spaceId], { signal });
  return rows.some((row) => row.embedderId === embedderId && row.ownPartition);
}

async function searchPartition(plan: SpacePlan, ranking: Ranking, options: SearchOptions): Promise<RankingResult> {
  const { db, limit, signal } = options;
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
    memories: options.visibleOnly ? 'visible' : 'any',
  };
  const hits = await nearestHits(db, search, signal);
  const wanted = Math.min(limit, matching ?? ranking.vectorCount);
  const scan =
    exact || (options.explain && !(await isIndexed(plan, ranking, options)))
      ? `exact ${matching ?? ranking.vectorCount}`
      : `hnsw ${Math.max(options.hnsw.efSearch, limit)}`;
  if (exact || hits.length >= wanted) return { hits, statuses: [], scan };
  if (canReadAll(ranking, options.hnsw)) {
    const all = await nearestHits(db, { ...search, hnsw: undefined }, signal);
    return { hits: all, statuses: [], scan: `${scan}, exact ${ranking.vectorCount}` };
  }
  const statuses = matching === undefined ? [] : [partialSearch(plan.spaceId, hits.length, wanted)];
  return { hits, statuses, scan };
}

/** Until its index is built, the database reads a large space row by row. */
async function isIndexed(
  { spaceId }: SpacePlan,
  { embedderId }: Ranking,
  { db, signal }: SearchOptions,
): Promise<boolean> {
  return (await vectorIndexState(db.main, { spaceId, embedderId }, { signal })) === 'valid';
}

/**
 * Whether a walk that came back short may be followed by a look at every row. In a space within the bound that the
 * caller set it was not the bound that ended the walk: a cluster whose neighbours are all its own is an island in the
 * graph, and what its rows hide cannot be reached from there.
 */
function canReadAll({ vectorCount }: Ranking, { iterativeScan, maxScanTuples }: HnswSettings): boolean {
  return iterativeScan !== 'off' && vectorCount <= maxScanTuples;
}

async function nearestHits(db: Db, search: VectorSearch, signal: AbortSignal): Promise<VectorHit[]> {
  const { limit } = search;
  const found = await searchVectors(db, search, { signal });
  // Equals on both sides of the limit: which of them are shown depends on their memories.
  const isCut = found.length > limit && found[limit]?.similarity === found[limit - 1]?.similarity;
  const hits = isCut ? await searchVectors(db, { ...search, memories: 'visible and ordered' }, { signal }) : found;
  return hits.slice(0, limit);
}

/** How selective the filter is, where that decides anything: in a large space. */
async function matchingChunks(
  plan: SpacePlan,
  { ownPartition }: Ranking,
  { db, signal }: SearchOptions,
): Promise<number | undefined> {
  if (!ownPartition || plan.filter === undefined) return undefined;
  return await countMatchingChunks(db, plan.spaceId, plan.filter, EXACT_MATCH_LIMIT + 1, { signal });
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
    scoreChunks(options.db, { spaceId, embedderId, ownPartition: own }, query, keys, { signal: options.signal });
  const scores = await score(ownPartition);
  return scores.length < keys.length && (await hasMoved(plan, ranking, options)) ? await score(true) : scores;
}

/** The first `limit` of candidates, best first, and what equals the last of them. */
export function bestWithEquals(candidates: readonly Candidate[], limit: number): Candidate[] {
  const last = candidates[limit - 1];
  if (last === undefined) return [...candidates];
  const end = candidates.findIndex(({ score }, index) => index >= limit && score !== last.score);
  return end === -1 ? [...candidates] : candidates.slice(0, end);
}

const keyOf = ({ memoryId, sequence }: { memoryId: string; sequence: number }) => `${memoryId}/${sequence}`;

function uniqueKeys(hits: readonly VectorHit[]): VectorHit[] {
  return [...new Map(hits.map((hit) => [keyOf(hit), hit])).values()];
}

/** Weighted sum of the similarities, best first. */
function combine(
  spaceId: string,
  rankings: readonly Ranking[],
  scores: readonly (readonly VectorHit[])[],
): Candidate[] {
  const candidates = new Map<string, Candidate>();
  rankings.forEach(({ weight }, index) => {
    for (const { memoryId, sequence, similarity } of scores[index] ?? []) {
      const key = keyOf({ memoryId, sequence });
      const candidate = candidates.get(key) ?? { spaceId, memoryId, sequence, score: 0 };
      candidate.score += weight * asCosine(similarity);
      candidates.set(key, candidate);
    }
  });
  return [...candidates.values()].sort((a, b) => b.score - a.score);
}

/** Vectors are stored in half precision, which takes the product of two equal ones a little beyond 1. */
function asCosine(similarity: number): number {
  return Math.max(-1, Math.min(1, similarity));
}
