import type { FinishedProbe } from './probe-run.ts';

export type ProbeVerdict = 'ok' | 'timeout' | 'error';

/** How a probe ended, in one word. */
export function verdictOf(outcome: FinishedProbe['outcome']): ProbeVerdict {
  if (outcome.ok) return 'ok';
  return outcome.timedOut ? 'timeout' : 'error';
}

export interface PingFigures {
  /** Probes that came to an end: `ok` + `timeouts` + `errors`. */
  requests: number;
  /** Those that were answered, whatever the answer said. */
  responses: number;
  ok: number;
  timeouts: number;
  errors: number;
  /** Over the responses; 0 without any. Percentiles are nearest-rank: always a time that was measured. */
  rttMinMs: number;
  rttAvgMs: number;
  rttP50Ms: number;
  rttP90Ms: number;
  rttP99Ms: number;
  rttMaxMs: number;
  /** Over the time from the first start to the last end, pauses included; 0 without any probe. */
  requestsPerSecond: number;
  /** Bytes sent and received over the same time. */
  bytesPerSecond: number;
}

/** Counts probes. What a CANCEL gave up is never added. */
export class PingStatistics {
  readonly #rttsMs: number[] = [];
  readonly #verdicts: Record<ProbeVerdict, number> = { ok: 0, timeout: 0, error: 0 };
  #bytes = 0;
  #startedMs = Number.POSITIVE_INFINITY;
  #endedMs = Number.NEGATIVE_INFINITY;

  add({ outcome, startedMs, endedMs }: Pick<FinishedProbe, 'outcome' | 'startedMs' | 'endedMs'>): void {
    this.#verdicts[verdictOf(outcome)] += 1;
    // In-process targets answer without a status.
    if (outcome.ok || outcome.httpStatus !== undefined) this.#rttsMs.push(outcome.rttMs);
    this.#bytes += outcome.bytesSent + outcome.bytesReceived;
    this.#startedMs = Math.min(this.#startedMs, startedMs);
    this.#endedMs = Math.max(this.#endedMs, endedMs);
  }

  figures(): PingFigures {
    const { ok, timeout: timeouts, error: errors } = this.#verdicts;
    const requests = ok + timeouts + errors;
    const sorted = this.#rttsMs.toSorted((a, b) => a - b);
    const sum = sorted.reduce((total, rtt) => total + rtt, 0);
    const seconds = (this.#endedMs - this.#startedMs) / 1000;
    const perSecond = (amount: number) => (seconds > 0 ? rounded(amount / seconds) : 0);
    return {
      requests,
      responses: sorted.length,
      ok,
      timeouts,
      errors,
      rttMinMs: sorted.at(0) ?? 0,
      rttAvgMs: sorted.length === 0 ? 0 : rounded(sum / sorted.length),
      rttP50Ms: nearestRank(sorted, 50),
      rttP90Ms: nearestRank(sorted, 90),
      rttP99Ms: nearestRank(sorted, 99),
      rttMaxMs: sorted.at(-1) ?? 0,
      requestsPerSecond: perSecond(requests),
      bytesPerSecond: perSecond(this.#bytes),
    };
  }
}

/** Without the digits that floating point adds: times are measured in whole nanoseconds. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** The smallest value that at least `percent` of the ascending values do not exceed; 0 of none. */
export function nearestRank(ascending: readonly number[], percent: number): number {
  return ascending[Math.max(0, Math.ceil((percent * ascending.length) / 100) - 1)] ?? 0;
}
