import { ServiceError } from '../../../shared/errors.ts';
import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import { type Guard, StaleError } from '../../context.ts';
import type { Logger } from '../../log.ts';
import type { Db, StatementOptions } from '../../store/db.ts';
import { isMissingTable } from '../../store/errors.ts';
import type { BroughtRows } from '../../store/retrieved-chunks.ts';
import { selectVectorLayout, type VectorLayout } from '../../store/vector-layout.ts';
import { countOutside } from '../../store/vector-promotion.ts';
import {
  efSearchOf,
  type Found,
  type HnswSettings,
  type SearchHit,
  scoreChunks,
  searchVectors,
  type VectorHit,
  type VectorSearch,
} from '../../store/vector-search.ts';
import { bestWithEquals, type Candidate, fuse, uniqueHits } from './fusion.ts';
import { deletedSpaces } from './inaccessible-memories.ts';
import type { SpacePlan, WeightedEmbedder } from './plan.ts';
import { failedSearch, noEmbedders, partialSearch, spaceNotFound } from './search-statuses.ts';

interface SpaceResult {
  /** The wanted candidates, best first, and those with the same score as the last of them. */
  candidates: Candidate[];
  statuses: RetrieveMemoryEvent[];
  /** Whether the space may have more matching chunks. */
  hasMore: boolean;
  /**
   * How the space was scanned, for EXPLAIN: `exact 1200` with the number of rows, or `hnsw 100` with ef_search, followed by
   * the number of rows outside the index, `hnsw 100 + exact 350`.
   */
  scan: string;
  failed: boolean;
  /** What the hits brought along. */
  hits: readonly SearchHit[];
}

interface SearchOptions {
  db: Db;
  vectors: ReadonlyMap<string, Float32Array>;
  hnsw: HnswSettings;
  /** Number of candidates wanted. */
  limit: number;
  /** Exclude hidden memories in the search, because an earlier one returned some. */
  retrievableOnly: boolean;
  /** Chunks and memories to bring along with the first hits. */
  bring: BroughtRows;
  /** Count the vectors outside the index, for `scan`. */
  explain: boolean;
  /** What a search of the space takes along. */
  guardsOf: (spaceId: string) => readonly Guard[];
  /** Deadline of the searches of all spaces, in epoch milliseconds. */
  deadlineMs: number;
  signal: AbortSignal;
  log: Logger;
}

/** An embedder of a space with its vector of the query. */
interface EmbedderQuery extends WeightedEmbedder {
  query: Float32Array;
}

function withQuery(embedder: WeightedEmbedder, query: Float32Array): EmbedderQuery {
  const { embedderId, weight, layout } = embedder;
  return {
    embedderId,
    weight,
    layout,
    query,
    get vectorCount() {
      return embedder.vectorCount;
    },
  };
}

/** The timeout and signal of one statement. Throws DEADLINE_EXCEEDED after the deadline. */
function boundsOf({ deadlineMs, signal }: Pick<SearchOptions, 'deadlineMs' | 'signal'>): StatementOptions {
  const timeoutMs = deadlineMs - Date.now();
  if (timeoutMs <= 0) throw new ServiceError('DEADLINE_EXCEEDED', 'The search timed out');
  return { signal, timeoutMs };
}

/** More vectors outside the index are counted as this many. */
const MOST_OUTSIDE = 100_000;

/**
 * Up to so many chunks that pass a filter are read instead of walking the index: where less than a tenth passes, a walk with
 * the default settings finds too few of the nearest (with 100,000 vectors 0.96 of them at 10 %, 0.87 at 5 %, 0.66 at 1 %).
 */
function exactMatches(vectorCount: number): number {
  return Math.min(Math.max(5000, Math.ceil(vectorCount / 10)), 20_000);
}

/**
 * The best chunks of one space. A failure of the search becomes a status event, so that the results of other spaces are
 * still returned; an unavailable database is thrown.
 */
export async function searchSpace(plan: SpacePlan, options: SearchOptions): Promise<SpaceResult> {
  const embedders = plan.embedders.flatMap((embedder): EmbedderQuery[] => {
    const query = options.vectors.get(embedder.embedderId);
    return query === undefined ? [] : [withQuery(embedder, query)];
  });
  if (embedders.length === 0) {
    return plan.embedders.length > 0 ? NOTHING : { ...NOTHING, statuses: [noEmbedders(plan.spaceId)] };
  }
  try {
    const result = await searchEmbedders(plan, embedders, options);
    const isSuspicious = result.candidates.length === 0 && embedders.some(({ vectorCount }) => vectorCount > 0);
    return isSuspicious && plan.filter === undefined && (await isDeleted(plan, options)) ? deletedSpace(plan) : result;
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof StaleError || (error instanceof ServiceError && error.code === 'UNAVAILABLE')) throw error;
    if (await isDeleted(plan, options)) return deletedSpace(plan);
    options.log.error({ err: error, spaceId: plan.spaceId }, 'the search of a space failed');
    return { ...NOTHING, statuses: [failedSearch(plan.spaceId, error)], scan: 'failed', failed: true };
  }
}

const NOTHING: SpaceResult = { candidates: [], statuses: [], hasMore: false, scan: 'exact 0', failed: false, hits: [] };

function deletedSpace({ spaceId }: SpacePlan): SpaceResult {
  return { ...NOTHING, statuses: [spaceNotFound(spaceId)] };
}

/**
 * Whether the space, and its vectors with it, was deleted since the call was planned. False when the lookup fails: only the
 * wording of a status depends on it, and the results of the other spaces must be returned.
 */
async function isDeleted({ spaceId }: SpacePlan, { db, signal, log }: SearchOptions): Promise<boolean> {
  try {
    return (await deletedSpaces(db, [spaceId], { signal })).length > 0;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError && error.code === 'UNAVAILABLE') throw error;
    log.warn({ err: error, spaceId }, 'could not look up whether a space still exists');
    return false;
  }
}

async function searchEmbedders(
  plan: SpacePlan,
  embedders: readonly EmbedderQuery[],
  options: SearchOptions,
): Promise<SpaceResult> {
  // Only embedders with a positive weight find candidates. If there are none, the others do: their farthest chunks are best.
  const positive = embedders.filter(({ weight }) => weight > 0);
  const sources = positive.length > 0 ? positive : embedders;
  const found = await Promise.all(sources.map((embedder) => searchEmbedder(plan, embedder, options)));
  const keys = uniqueHits(found.flatMap(({ hits }) => hits));
  const scores = await Promise.all(
    embedders.map((embedder) => {
      const own = found[sources.indexOf(embedder)];
      return embedders.length === 1 && own !== undefined ? own.hits : scoreByEmbedder(plan, embedder, keys, options);
    }),
  );
  const candidates = fuse(plan.spaceId, embedders, scores);
  return {
    candidates: bestWithEquals(candidates, options.limit),
    statuses: found.flatMap(({ statuses }) => statuses),
    hasMore: found.some(({ hits }) => hits.length >= options.limit),
    scan: found.map(({ scan }) => scan).join(', '),
    failed: false,
    hits: found.flatMap(({ hits }) => hits),
  };
}

interface EmbedderResult {
  hits: SearchHit[];
  statuses: RetrieveMemoryEvent[];
  scan: string;
}

async function searchEmbedder(
  plan: SpacePlan,
  embedder: EmbedderQuery,
  options: SearchOptions,
): Promise<EmbedderResult> {
  for (let current = embedder; ; ) {
    const result = await searchTables(plan, current, options).catch(missing);
    if (result !== undefined && result.hits.length > 0) return result;
    const layout = await changedLayout(plan, current, options);
    if (layout !== undefined) current = { ...current, layout };
    else if (result !== undefined) return result;
    else throw new ServiceError('INTERNAL', 'A table of the vectors of the space is missing');
  }
}

/** Undefined for the error of a table that was dropped after the call had learned of it; throws every other. */
function missing(error: unknown): undefined {
  if (!isMissingTable(error)) throw error;
}

/** Where the vectors of the space are now, if it is elsewhere than the plan says; undefined too when it was deleted. */
async function changedLayout(
  { spaceId }: SpacePlan,
  { embedderId, layout }: EmbedderQuery,
  options: SearchOptions,
): Promise<VectorLayout | undefined> {
  const current = await selectVectorLayout(options.db.main, { spaceId, embedderId }, boundsOf(options));
  return current?.version === layout.version ? undefined : current;
}

async function searchTables(plan: SpacePlan, embedder: EmbedderQuery, options: SearchOptions): Promise<EmbedderResult> {
  const { db, limit } = options;
  const isWalkable = isIndexed(embedder) && embedder.weight > 0;
  const search: VectorSearch = {
    vectors: { spaceId: plan.spaceId, embedderId: embedder.embedderId, layout: embedder.layout },
    query: embedder.query,
    limit,
    order: embedder.weight < 0 ? 'farthest' : 'nearest',
    hnsw: isWalkable ? options.hnsw : undefined,
    filter: plan.filter,
    exactMatches: exactMatches(embedder.vectorCount),
    memories: options.retrievableOnly ? 'retrievable' : 'any',
    bring: options.bring,
  };
  const { hits, matching } = await nearestHits(db, search, options);
  const wanted = Math.min(limit, matching ?? embedder.vectorCount);
  const exact = !isWalkable || (matching !== undefined && matching <= search.exactMatches);
  const scan = exact
    ? `exact ${matching ?? embedder.vectorCount}`
    : `hnsw ${efSearchOf(search)}${await outsideOf(plan, embedder, options)}`;
  if (exact || hits.length >= wanted) return { hits, statuses: [], scan };
  if (canReadAll(plan, embedder, options.hnsw)) {
    const all = await nearestHits(db, { ...search, hnsw: undefined }, options);
    return { hits: all.hits, statuses: [], scan: `${scan}, exact ${embedder.vectorCount}` };
  }
  const statuses = matching === undefined ? [] : [partialSearch(plan.spaceId, hits.length, wanted)];
  return { hits, statuses, scan };
}

/** Until its first index is built, a large space is scanned exactly. */
function isIndexed({ layout }: EmbedderQuery): boolean {
  return layout.segments.some(({ state }) => state === 'INDEXED');
}

/** The part of `scan` for vectors that are in no index yet; counted for EXPLAIN alone. */
async function outsideOf(
  { spaceId }: SpacePlan,
  { embedderId }: EmbedderQuery,
  options: SearchOptions,
): Promise<string> {
  if (!options.explain) return '';
  const outside = await countOutside(options.db.main, { spaceId, embedderId }, MOST_OUTSIDE, boundsOf(options));
  return outside === 0 ? '' : ` + exact ${outside}`;
}

/**
 * Whether an index search with too few results may be followed by an exact scan: without a filter always, since the space has
 * the wanted rows; with one where it was not maxScanTuples that ended the search. A cluster whose graph neighbors are all in
 * the cluster is an island in the graph, from which no other vectors can be reached.
 */
function canReadAll({ filter }: SpacePlan, { vectorCount }: EmbedderQuery, hnsw: HnswSettings): boolean {
  const { iterativeScan, maxScanTuples } = hnsw;
  return iterativeScan !== 'off' && (filter === undefined || vectorCount <= maxScanTuples);
}

async function nearestHits(db: Db, search: VectorSearch, options: SearchOptions): Promise<Found> {
  const { limit } = search;
  const guarded = () => ({ ...boundsOf(options), guards: options.guardsOf(search.vectors.spaceId) });
  const found = await searchVectors(db, search, guarded());
  // The limit separates hits of equal similarity: which of them come first depends on their memories.
  const isCut = found.hits.length > limit && found.hits[limit]?.similarity === found.hits[limit - 1]?.similarity;
  const { hits, matching } = isCut
    ? await searchVectors(db, { ...search, memories: 'retrievable and ordered' }, guarded())
    : found;
  return { hits: hits.slice(0, limit), matching };
}

async function scoreByEmbedder(
  plan: SpacePlan,
  embedder: EmbedderQuery,
  keys: readonly VectorHit[],
  options: SearchOptions,
): Promise<VectorHit[]> {
  const { spaceId } = plan;
  const { embedderId, query } = embedder;
  for (let { layout } = embedder; ; ) {
    const vectors = { spaceId, embedderId, layout };
    const scores = await scoreChunks(options.db, vectors, query, keys, boundsOf(options)).catch(missing);
    if (scores?.length === keys.length) return scores;
    const changed = await changedLayout(plan, { ...embedder, layout }, options);
    if (changed !== undefined) layout = changed;
    else return scores ?? [];
  }
}
