import { chunkKey } from '../../store/chunks.ts';
import type { VectorHit } from '../../store/vector-search.ts';

/** A chunk with its weighted similarity. */
export interface Candidate {
  spaceId: string;
  memoryId: string;
  sequence: number;
  score: number;
}

/** The first `limit` of the candidates, which are sorted best first, and those with the same score as the last of them. */
export function bestWithEquals(candidates: readonly Candidate[], limit: number): Candidate[] {
  const last = candidates[limit - 1];
  if (last === undefined) return [...candidates];
  const end = candidates.findIndex(({ score }, index) => index >= limit && score !== last.score);
  return end === -1 ? [...candidates] : candidates.slice(0, end);
}

/** Removes duplicate chunks. */
export function uniqueHits(hits: readonly VectorHit[]): VectorHit[] {
  return [...new Map(hits.map((hit) => [chunkKey(hit), hit])).values()];
}

/** Sums the weighted similarities of each chunk over the embedders, best first; `scores` has one list per embedder. */
export function fuse(
  spaceId: string,
  embedders: readonly { weight: number }[],
  scores: readonly (readonly VectorHit[])[],
): Candidate[] {
  const candidates = new Map<string, Candidate>();
  embedders.forEach(({ weight }, index) => {
    for (const { memoryId, sequence, similarity } of scores[index] ?? []) {
      const key = chunkKey({ memoryId, sequence });
      const candidate = candidates.get(key) ?? { spaceId, memoryId, sequence, score: 0 };
      candidate.score = finite(candidate.score + weight * asCosine(similarity));
      candidates.set(key, candidate);
    }
  });
  return [...candidates.values()].sort((a, b) => b.score - a.score);
}

/** Vectors are stored in half precision, so the product of two equal ones may be slightly greater than 1. */
function asCosine(similarity: number): number {
  return Math.max(-1, Math.min(1, similarity));
}

/** Weights may be any finite number, so their sum may overflow to infinity, which JSON cannot express. */
function finite(score: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, score));
}
