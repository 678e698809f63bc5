const MOST = 3;
/** Of the letters of the longer word: more changes than that make another word. */
const LARGEST_SHARE = 0.4;
const SHORTEST_PREFIX = 3;

/** The candidates that a mistyped word was most likely meant to be, best first; at most three equally good ones. */
export function closest(word: string, candidates: Iterable<string>): string[] {
  const wanted = word.toLowerCase();
  const scored = [...new Set(candidates)].map((candidate) => ({
    candidate,
    score: distanceScore(wanted, candidate.toLowerCase()),
  }));
  const best = Math.min(...scored.map(({ score }) => score));
  if (!Number.isFinite(best)) return [];
  const found = scored.filter(({ score }) => score === best).map(({ candidate }) => candidate);
  return found.slice(0, MOST);
}

/** `Did you mean list?`; undefined when nothing is close. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const found = closest(word, candidates);
  return found.length === 0 ? undefined : `Did you mean ${orList(found)}?`;
}

/** `a`, `a or b`, `a, b or c`. */
export function orList(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

/** Changes of a letter from one word to the other, Infinity when there are too many; the start of a word counts as one. */
function distanceScore(word: string, candidate: string): number {
  if (word.length >= SHORTEST_PREFIX && candidate.startsWith(word)) return 1;
  const distance = changes(word, candidate);
  return distance <= Math.max(word.length, candidate.length) * LARGEST_SHARE ? distance : Number.POSITIVE_INFINITY;
}

/** Insertions, deletions, replacements and swaps of neighbors (optimal string alignment). */
function changes(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
