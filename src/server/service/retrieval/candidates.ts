import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { Db } from '../../store/db.ts';
import { type RetrievedChunkRow, selectVisibleChunks } from '../../store/retrieved-chunks.ts';
import type { HnswSettings } from '../../store/vector-search.ts';
import type { SpacePlan } from './plan.ts';
import { type Candidate, searchSpace } from './search-space.ts';

/** A chunk that will be shown, with its score. */
export interface RankedChunk {
  chunk: RetrievedChunkRow;
  score: number;
}

export interface CandidateRequest {
  plan: readonly SpacePlan[];
  vectors: ReadonlyMap<string, Float32Array>;
  hnsw: HnswSettings;
  /** Chunks wanted over all spaces. */
  size: number;
  /** The most chunks of one memory; 0 is no limit. */
  maxPerMemory: number;
  signal: AbortSignal;
}

export interface Candidates {
  /** Best first. */
  chunks: RankedChunk[];
  statuses: RetrieveMemoryEvent[];
  /** Per space id, how it was scanned. */
  scans: Map<string, string>;
  searchMs: number;
  loadMs: number;
}

/** A search never asks for more rows than this of one space, however many memories hide behind each other. */
const MAX_LIMIT = 20_000;

/**
 * The best chunks over all spaces. The search runs over vectors alone, because hidden memories are rare: only when some
 * of its results turn out to be hidden, or one memory fills too many places, is it repeated with more care.
 */
export async function findCandidates(db: Db, request: CandidateRequest): Promise<Candidates> {
  let limit = request.size;
  let visibleOnly = false;
  for (;;) {
    const round = await searchRound(db, request, limit, visibleOnly);
    const short = round.chunks.length < request.size && round.exhausted === false;
    if (!short || (visibleOnly && limit >= MAX_LIMIT)) return round;
    // The first repeat joins the memories into the search; each further one looks at four times as many rows.
    if (visibleOnly || round.hidden === 0) limit = Math.min(limit * 4, MAX_LIMIT);
    visibleOnly = true;
  }
}

interface Round extends Candidates {
  /** Found but not to be shown. */
  hidden: number;
  /** No space has more than what was found. */
  exhausted: boolean;
}

async function searchRound(db: Db, request: CandidateRequest, limit: number, visibleOnly: boolean): Promise<Round> {
  const { plan, vectors, hnsw, signal } = request;
  const started = performance.now();
  const options = { db, vectors, hnsw, limit, visibleOnly, signal };
  const results = await Promise.all(plan.map((space) => searchSpace(space, options)));
  const searched = performance.now();
  const found = results.flatMap(({ candidates }) => candidates).sort((a, b) => b.score - a.score);
  const wanted = request.maxPerMemory > 0 ? found : found.slice(0, limit);
  const { chunks, hidden } = await loadChunks(db, wanted, signal);
  return {
    chunks: limitPerMemory(chunks, request.maxPerMemory).slice(0, request.size),
    hidden,
    exhausted: results.every(({ candidates }) => candidates.length < limit),
    statuses: results.flatMap(({ statuses }) => statuses),
    scans: new Map(plan.map(({ spaceId }, index) => [spaceId, results[index]?.scan ?? ''])),
    searchMs: searched - started,
    loadMs: performance.now() - searched,
  };
}

async function loadChunks(
  db: Db,
  candidates: readonly Candidate[],
  signal: AbortSignal,
): Promise<{ chunks: RankedChunk[]; hidden: number }> {
  if (candidates.length === 0) return { chunks: [], hidden: 0 };
  const rows = await selectVisibleChunks(db.main, candidates, { signal });
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  const chunks = candidates.flatMap((candidate) => {
    const chunk = byKey.get(keyOf(candidate));
    return chunk === undefined ? [] : [{ chunk, score: candidate.score }];
  });
  return { chunks: chunks.sort(byRank), hidden: candidates.length - chunks.length };
}

const keyOf = ({ spaceId, memoryId, sequence }: { spaceId: string; memoryId: string; sequence: number }) =>
  `${spaceId}/${memoryId}/${sequence}`;

/** Equal scores: the newer memory first, then by chunk id. */
function byRank(a: RankedChunk, b: RankedChunk): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.chunk.memoryCreatedAt !== b.chunk.memoryCreatedAt) return b.chunk.memoryCreatedAt - a.chunk.memoryCreatedAt;
  return a.chunk.chunkId < b.chunk.chunkId ? -1 : 1;
}

function limitPerMemory(chunks: readonly RankedChunk[], most: number): RankedChunk[] {
  if (most === 0) return [...chunks];
  const counts = new Map<string, number>();
  return chunks.filter(({ chunk }) => {
    const count = (counts.get(chunk.memoryId) ?? 0) + 1;
    counts.set(chunk.memoryId, count);
    return count <= most;
  });
}
