import { type RttFigures, rttFigures, withoutNoise } from '../../../shared/rtt-figures.ts';
import type { FinishedProbe } from './probe-run.ts';

export type ProbeVerdict = 'ok' | 'timeout' | 'error';

/** How a probe ended, in one word. */
export function verdictOf(outcome: FinishedProbe['outcome']): ProbeVerdict {
  if (outcome.ok) return 'ok';
  return outcome.timedOut ? 'timeout' : 'error';
}

/** The times are those of the responses. */
export interface PingFigures extends RttFigures {
  /** Probes that came to an end: `ok` + `timeouts` + `errors`. */
  requests: number;
  /** Those that were answered, whatever the answer said. */
  responses: number;
  ok: number;
  timeouts: number;
  errors: number;
  /** Over the time from the first start to the last end, pauses included; 0 without any probe. */
  requestsPerSecond: number;
  /** Bytes sent and received over the same time. */
  bytesPerSecond: number;
}

/** Counts probes, except those that a CANCEL aborted. */
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
    const seconds = (this.#endedMs - this.#startedMs) / 1000;
    const perSecond = (amount: number) => (seconds > 0 ? withoutNoise(amount / seconds) : 0);
    return {
      requests,
      responses: this.#rttsMs.length,
      ok,
      timeouts,
      errors,
      ...rttFigures(this.#rttsMs),
      requestsPerSecond: perSecond(requests),
      bytesPerSecond: perSecond(this.#bytes),
    };
  }
}
