import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { Logger } from '../../log.ts';
import type { Db } from '../../store/db.ts';
import { type RetrievedChunkRow, selectRetrievableChunks } from '../../store/retrieved-chunks.ts';
import type { HnswSettings } from '../../store/vector-search.ts';
import { bestWithEquals, type Candidate } from './fusion.ts';
import type { SpacePlan } from './plan.ts';
import { searchSpace } from './search-space.ts';
import { chunkNotFound } from './search-statuses.ts';
import type { StageTimes } from './stage-times.ts';

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
  /** Say truly how each space was scanned, which costs a question for each. */
  explain: boolean;
  stages: StageTimes;
  /** Bound of the searches in milliseconds; 10,000 unless told. */
  timeoutMs?: number;
  signal: AbortSignal;
  log: Logger;
}

export interface Candidates {
  /** Best first. */
  chunks: RankedChunk[];
  statuses: RetrieveMemoryEvent[];
  /** Per space id, how it was scanned. */
  scans: Map<string, string>;
}

/** Of the searches of a retrieval, all spaces and repeats together. A filter may make the database look at every memory. */
const SEARCH_TIMEOUT_MS = 10_000;

/** A search never asks for more rows than this of one space, however many memories hide behind each other. */
const MAX_LIMIT = 20_000;

/**
 * The best chunks over all spaces. The search runs over vectors alone, because hidden memories are rare: only when some
 * of its results turn out to be hidden, or one memory fills too many places, is it repeated with more care.
 */
export async function findCandidates(db: Db, request: CandidateRequest): Promise<Candidates> {
  const deadlineMs = Date.now() + (request.timeoutMs ?? SEARCH_TIMEOUT_MS);
  let limit = request.size;
  let retrievableOnly = false;
  for (;;) {
    const round = await searchRound(db, request, { limit, retrievableOnly, deadlineMs });
    const isCrowded = round.hidden > 0 && round.chunks.length < request.size && !retrievableOnly;
    if (!isCrowded && (!round.isOpen || limit >= MAX_LIMIT)) return round;
    // Leaving the hidden ones out in the search is often enough; else each repeat looks at four times as many rows.
    if (!isCrowded) limit = Math.min(limit * 4, MAX_LIMIT);
    retrievableOnly = true;
  }
}

interface Round extends Candidates {
  /** Found but not to be shown. */
  hidden: number;
  /** Some space may have more that belongs among the results. */
  isOpen: boolean;
}

async function searchRound(
  db: Db,
  request: CandidateRequest,
  attempt: { limit: number; retrievableOnly: boolean; deadlineMs: number },
): Promise<Round> {
  const { plan, vectors, hnsw, explain, stages, signal, log } = request;
  const options = { db, vectors, hnsw, ...attempt, explain, signal, log };
  const results = await stages.run('vector_search', () =>
    Promise.all(plan.map((space) => searchSpace(space, options))),
  );
  if (results.some(({ failed }) => failed)) stages.fail('vector_search');
  const found = results.flatMap(({ candidates }) => candidates).sort(byScore);
  const wanted = bestWithEquals(limitPerMemory(found, request.maxPerMemory), request.size);
  const { chunks, missing } = await stages.run('load', () => loadChunks(db, wanted, signal));
  const last = chunks[request.size - 1]?.score ?? -Infinity;
  return {
    chunks: chunks.slice(0, request.size),
    hidden: missing.length,
    isOpen: results.some(({ hasMore, candidates }) => hasMore && (candidates.at(-1)?.score ?? 0) > last),
    // A search that leaves hidden memories out has seen these a moment ago.
    statuses: [
      ...results.flatMap(({ statuses }) => statuses),
      ...(attempt.retrievableOnly ? missing.map(chunkNotFound) : []),
    ],
    scans: new Map(plan.map(({ spaceId }, index) => [spaceId, results[index]?.scan ?? ''])),
  };
}

async function loadChunks(
  db: Db,
  candidates: readonly Candidate[],
  signal: AbortSignal,
): Promise<{ chunks: RankedChunk[]; missing: Candidate[] }> {
  if (candidates.length === 0) return { chunks: [], missing: [] };
  const rows = await selectRetrievableChunks(db.main, candidates, { signal });
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  const chunks = candidates.flatMap((candidate) => {
    const chunk = byKey.get(keyOf(candidate));
    return chunk === undefined ? [] : [{ chunk, score: candidate.score }];
  });
  return { chunks: chunks.sort(byRank), missing: candidates.filter((candidate) => !byKey.has(keyOf(candidate))) };
}

const keyOf = ({ spaceId, memoryId, sequence }: { spaceId: string; memoryId: string; sequence: number }) =>
  `${spaceId}/${memoryId}/${sequence}`;

/** Equal scores: the newer memory first, then by chunk id. */
function byRank(a: RankedChunk, b: RankedChunk): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.chunk.memoryCreatedAt !== b.chunk.memoryCreatedAt) return b.chunk.memoryCreatedAt - a.chunk.memoryCreatedAt;
  return a.chunk.chunkId < b.chunk.chunkId ? -1 : 1;
}

/** Best first; the chunks of one memory, which may be limited in number, in their order where they are equal. */
function byScore(a: Candidate, b: Candidate): number {
  return b.score - a.score || a.sequence - b.sequence;
}

function limitPerMemory(candidates: readonly Candidate[], most: number): readonly Candidate[] {
  if (most === 0) return candidates;
  const counts = new Map<string, number>();
  return candidates.filter(({ memoryId }) => {
    const count = (counts.get(memoryId) ?? 0) + 1;
    counts.set(memoryId, count);
    return count <= most;
  });
}
