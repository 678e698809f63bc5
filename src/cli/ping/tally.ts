import type { PingResult } from '../../shared/gen/service/v1/ping_pb.ts';
import { type RttFigures, rttFigures } from '../../shared/rtt-figures.ts';

/** What can be said of the probes that have ended so far. */
export interface PingTally extends RttFigures {
  requests: number;
  /** Those that were answered, whatever the answer said; the times are theirs. */
  responses: number;
  ok: number;
}

/** Counts as the server does for its summary, so that the figures of a running ping lead up to the last ones. */
export function tallyOf(results: readonly PingResult[]): PingTally {
  const answered = results.filter(isAnswered);
  return {
    requests: results.length,
    responses: answered.length,
    ok: results.filter(({ ok }) => ok).length,
    ...rttFigures(answered.map(({ rttMs }) => rttMs)),
  };
}

/** In-process targets answer without a status. */
export function isAnswered({ ok, httpStatus }: Pick<PingResult, 'ok' | 'httpStatus'>): boolean {
  return ok || httpStatus !== undefined;
}

/** Probes that did not succeed, in percent of all, rounded; 0 without any. */
export function lossPercent({ requests, ok }: Pick<PingTally, 'requests' | 'ok'>): number {
  return requests === 0 ? 0 : Math.round(((requests - ok) / requests) * 100);
}

/** Where the time of a probe went, in milliseconds. */
interface TimeSplit {
  /** Both ways together. */
  network: number;
  /** Between the arrival of the call at the target and its answer. */
  server: number;
}

/** Undefined when the target reports no times of its own, or such that cannot be. */
export function timeSplit({ timing, rttMs }: Pick<PingResult, 'timing' | 'rttMs'>): TimeSplit | undefined {
  if (timing === undefined) return undefined;
  const { serverReceivedTimeUnixNanos: received, serverSendTimeUnixNanos: sent } = timing;
  if (received === 0n || sent === 0n) return undefined;
  // Clocks of two machines differ; a difference on one of them can be trusted.
  const server = Number(sent - received) / 1e6;
  return server < 0 || server > rttMs ? undefined : { network: rttMs - server, server };
}
