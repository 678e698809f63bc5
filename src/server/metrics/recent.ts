/** Figures of one operation or stage over the last minute, of this server alone. */
export interface RecentFigures {
  count: number;
  errors: number;
  /** Milliseconds. */
  p50Ms: number;
  /** Milliseconds. */
  p99Ms: number;
}

/** What happened in the last minute, by operation and by stage of a retrieval. */
export interface RecentStatistics {
  requests(): Record<string, RecentFigures>;
  /** By stage of a retrieval: `embed`, `vector_search`, `load`, … */
  stages(): Record<string, RecentFigures>;
}
