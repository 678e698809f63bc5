import type { VectorHit } from '../../store/vector-search.ts';

/** A chunk with its weighted similarity. */
export interface Candidate {
  spaceId: string;
  memoryId: string;
  sequence: number;
  score: number;
}

/** The first `limit` of candidates, best first, and what equals the last of them. */
export function bestWithEquals(candidates: readonly Candidate[], limit: number): Candidate[] {
  const last = candidates[limit - 1];
  if (last === undefined) return [...candidates];
  const end = candidates.findIndex(({ score }, index) => index >= limit && score !== last.score);
  return end === -1 ? [...candidates] : candidates.slice(0, end);
}

const keyOf = ({ memoryId, sequence }: { memoryId: string; sequence: number }) => `${memoryId}/${sequence}`;

/** Each chunk once. */
export function uniqueKeys(hits: readonly VectorHit[]): VectorHit[] {
  return [...new Map(hits.map((hit) => [keyOf(hit), hit])).values()];
}

/** Weighted sum of the similarities, best first; `scores` are those of each ranking. */
export function combine(
  spaceId: string,
  rankings: readonly { weight: number }[],
  scores: readonly (readonly VectorHit[])[],
): Candidate[] {
  const candidates = new Map<string, Candidate>();
  rankings.forEach(({ weight }, index) => {
    for (const { memoryId, sequence, similarity } of scores[index] ?? []) {
      const key = keyOf({ memoryId, sequence });
      const candidate = candidates.get(key) ?? { spaceId, memoryId, sequence, score: 0 };
      candidate.score = finite(candidate.score + weight * asCosine(similarity));
      candidates.set(key, candidate);
    }
  });
  return [...candidates.values()].sort((a, b) => b.score - a.score);
}

/** Vectors are stored in half precision, which takes the product of two equal ones a little beyond 1. */
function asCosine(similarity: number): number {
  return Math.max(-1, Math.min(1, similarity));
}

/** Weights may be any finite number, and a sum of them beyond what a number holds is no number in JSON. */
function finite(score: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, score));
}
