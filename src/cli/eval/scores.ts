/** How one question fared. */
export interface Score {
  /** How many of the memories that ought to be found are among the first k. */
  hits: number;
  /** The share of them, 0 to 1. */
  recall: number;
  /** Where the first of them stands, from 1; undefined when none is among the first k. */
  firstRank: number | undefined;
}

/** The means over all questions, each 0 to 1. */
export interface Totals {
  recall: number;
  mrr: number;
}

/**
 * Recall is the share of the relevant documents that is retrieved, here among the first k
 * (Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, formula 8.2 and section 8.4).
 *
 * @param ranked Ids of memories, best first, each once.
 * @param relevant Ids that ought to be found; at least one.
 */
export function scoreOf(ranked: readonly string[], relevant: readonly string[], k: number): Score {
  const wanted = new Set(relevant);
  const first = ranked.slice(0, k);
  const hits = first.filter((id) => wanted.has(id)).length;
  const at = first.findIndex((id) => wanted.has(id));
  return { hits, recall: hits / wanted.size, firstRank: at === -1 ? undefined : at + 1 };
}

/**
 * Recall is averaged over the questions, so that one with many memories counts no more than one with a single one. The mean
 * reciprocal rank is the mean of 1 / rank of the first relevant result, 0 where there is none
 * (Voorhees, The TREC-8 Question Answering Track Report, 1999, section 3.1).
 */
export function totalsOf(scores: readonly Score[]): Totals {
  const mean = (value: (score: Score) => number): number =>
    scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + value(score), 0) / scores.length;
  return {
    recall: mean(({ recall }) => recall),
    mrr: mean(({ firstRank }) => (firstRank === undefined ? 0 : 1 / firstRank)),
  };
}
