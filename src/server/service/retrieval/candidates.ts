import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { Guard } from '../../context.ts';
import type { Logger } from '../../log.ts';
import { chunkKey } from '../../store/chunks.ts';
import type { Db } from '../../store/db.ts';
import type { MemoryRow } from '../../store/memory-row.ts';
import { type BroughtRows, type RetrievedChunkRow, selectRetrievableChunks } from '../../store/retrieved-chunks.ts';
import type { HnswSettings, SearchHit } from '../../store/vector-search.ts';
import { bestWithEquals, type Candidate } from './fusion.ts';
import type { SpacePlan } from './plan.ts';
import { searchSpace } from './search-space.ts';
import { chunkNotFound } from './search-statuses.ts';
import type { StageTimes } from './stage-times.ts';

/** A chunk that can be returned, with its score. */
export interface RankedChunk {
  chunk: RetrievedChunkRow;
  score: number;
}

export interface CandidateRequest {
  plan: readonly SpacePlan[];
  vectors: ReadonlyMap<string, Float32Array>;
  hnsw: HnswSettings;
  /** Number of chunks wanted over all spaces. */
  size: number;
  /** The most chunks of one memory; 0 is no limit. */
  maxPerMemory: number;
  /** Whether the memories of the results are wanted as they were at the moment of the search. */
  memories: boolean;
  /** Report how each space was scanned, which takes one more statement per space. */
  explain: boolean;
  stages: StageTimes;
  /** What a search of a space takes along; nothing without it. */
  guardsOf?: (spaceId: string) => readonly Guard[];
  /** Timeout of all searches together in milliseconds; 10,000 by default. */
  timeoutMs?: number;
  signal: AbortSignal;
  log: Logger;
}

export interface Candidates {
  /** Best first. */
  chunks: RankedChunk[];
  statuses: RetrieveMemoryEvent[];
  /** By space id: how it was scanned. */
  scans: Map<string, string>;
  /** By id: memories that came along with the chunks. */
  memories: ReadonlyMap<string, MemoryRow>;
}

/** Timeout of all searches of a retrieval, over all spaces and repeats. A filter may make the database read every memory. */
const SEARCH_TIMEOUT_MS = 10_000;

/** A search never requests more rows than this from one space, however many hidden memories there are. */
const MAX_LIMIT = 20_000;

/**
 * Up to so many spaces, and so many hits of each, bring their chunks along in the search; with more of them most would be
 * read in vain, and those that are wanted are read afterwards.
 */
const MAX_BRINGING_SPACES = 3;
const MAX_BROUGHT = 200;

/** What the hits of one space bring along. */
function bringing({ plan, size, memories }: CandidateRequest): BroughtRows {
  const chunks = plan.length <= MAX_BRINGING_SPACES && size <= MAX_BROUGHT ? size : 0;
  return { chunks, memories: memories ? chunks : 0 };
}

/**
 * The best chunks over all spaces. The first search uses only the vectors, because hidden memories are rare. It is repeated
 * with the memories joined in when some of its results are hidden, or when one memory has too many of them.
 */
export async function findCandidates(db: Db, request: CandidateRequest): Promise<Candidates> {
  const deadlineMs = Date.now() + (request.timeoutMs ?? SEARCH_TIMEOUT_MS);
  let limit = request.size;
  let retrievableOnly = false;
  for (;;) {
    const round = await searchRound(db, request, { limit, retrievableOnly, deadlineMs });
    const isCrowded = round.hidden > 0 && round.chunks.length < request.size && !retrievableOnly;
    if (!isCrowded && (!round.isOpen || limit >= MAX_LIMIT)) return round;
    // Excluding hidden memories in the search is often enough; otherwise each repeat reads four times as many rows.
    if (!isCrowded) limit = Math.min(limit * 4, MAX_LIMIT);
    retrievableOnly = true;
  }
}

interface Round extends Candidates {
  /** Number of chunks that were found but must not be returned. */
  hidden: number;
  /** Whether a space may have more chunks that belong to the results. */
  isOpen: boolean;
}

async function searchRound(
  db: Db,
  request: CandidateRequest,
  attempt: { limit: number; retrievableOnly: boolean; deadlineMs: number },
): Promise<Round> {
  const { plan, vectors, hnsw, explain, stages, signal, log } = request;
  const guardsOf = request.guardsOf ?? (() => []);
  const options = { db, vectors, hnsw, ...attempt, bring: bringing(request), guardsOf, explain, signal, log };
  const results = await stages.run('vector_search', () =>
    Promise.all(plan.map((space) => searchSpace(space, options))),
  );
  if (results.some(({ failed }) => failed)) stages.fail('vector_search');
  const found = results.flatMap(({ candidates }) => candidates).sort(byScore);
  const wanted = bestWithEquals(limitPerMemory(found, request.maxPerMemory), request.size);
  const hits = results.flatMap((result) => result.hits);
  const { chunks, missing } = await stages.run('load', () => loadChunks(db, wanted, hits, signal));
  const last = chunks[request.size - 1]?.score ?? -Infinity;
  return {
    chunks: chunks.slice(0, request.size),
    hidden: missing.length,
    isOpen: results.some(({ hasMore, candidates }) => hasMore && (candidates.at(-1)?.score ?? 0) > last),
    // The search excluded hidden memories, so these chunks were deleted after it.
    statuses: [
      ...results.flatMap(({ statuses }) => statuses),
      ...(attempt.retrievableOnly ? missing.map(chunkNotFound) : []),
    ],
    scans: new Map(plan.map(({ spaceId }, index) => [spaceId, results[index]?.scan ?? ''])),
    memories: new Map(hits.flatMap(({ memoryId, brought }) => (brought?.memory ? [[memoryId, brought.memory]] : []))),
  };
}

/** The chunks of these candidates: those that hits brought along, and the others from the database. */
async function loadChunks(
  db: Db,
  candidates: readonly Candidate[],
  hits: readonly SearchHit[],
  signal: AbortSignal,
): Promise<{ chunks: RankedChunk[]; missing: Candidate[] }> {
  const byKey = new Map<string, RetrievedChunkRow | null>();
  for (const hit of hits) if (hit.brought !== undefined) byKey.set(chunkKey(hit), hit.brought.chunk);
  const others = candidates.filter((candidate) => !byKey.has(chunkKey(candidate)));
  const rows = others.length === 0 ? [] : await selectRetrievableChunks(db.main, others, { signal });
  for (const row of rows) byKey.set(chunkKey(row), row);
  const chunks: RankedChunk[] = [];
  const missing: Candidate[] = [];
  for (const candidate of candidates) {
    const chunk = byKey.get(chunkKey(candidate)) ?? null;
    if (chunk === null) missing.push(candidate);
    else chunks.push({ chunk, score: candidate.score });
  }
  return { chunks: chunks.sort(byRank), missing };
}

/** Equal scores: the newer memory first, then by chunk id. */
function byRank(a: RankedChunk, b: RankedChunk): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.chunk.memoryCreatedAt !== b.chunk.memoryCreatedAt) return b.chunk.memoryCreatedAt - a.chunk.memoryCreatedAt;
  return a.chunk.chunkId < b.chunk.chunkId ? -1 : 1;
}

/** Best first; chunks of equal score by sequence, since the number per memory may be limited. */
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
