/** Statistics of round trips, in milliseconds; all 0 without any. */
export interface RttFigures {
  rttMinMs: number;
  rttAvgMs: number;
  /** Percentiles are nearest-rank: always a time that was measured. */
  rttP50Ms: number;
  rttP90Ms: number;
  rttP99Ms: number;
  rttMaxMs: number;
}

/** The same formula on both sides of a ping: what a client shows while it runs is what the server's summary says at its end. */
export function rttFigures(rttsMs: readonly number[]): RttFigures {
  const sorted = rttsMs.toSorted((a, b) => a - b);
  const sum = sorted.reduce((total, rtt) => total + rtt, 0);
  return {
    rttMinMs: sorted.at(0) ?? 0,
    rttAvgMs: sorted.length === 0 ? 0 : withoutNoise(sum / sorted.length),
    rttP50Ms: nearestRank(sorted, 50),
    rttP90Ms: nearestRank(sorted, 90),
    rttP99Ms: nearestRank(sorted, 99),
    rttMaxMs: sorted.at(-1) ?? 0,
  };
}

/** Without floating-point noise: times are measured in whole nanoseconds. */
export function withoutNoise(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** The smallest value that at least `percent` of the ascending values do not exceed; 0 of none. */
export function nearestRank(ascending: readonly number[], percent: number): number {
  return ascending[Math.max(0, Math.ceil((percent * ascending.length) / 100) - 1)] ?? 0;
}
