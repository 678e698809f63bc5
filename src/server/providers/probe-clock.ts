import type { ProbeOutcome } from './target.ts';

export type ProbeTimes = Pick<
  ProbeOutcome,
  | 'rttMs'
  | 'clientSendTimeUnixNanos'
  | 'clientReceiveTimeUnixNanos'
  | 'serverReceivedTimeUnixNanos'
  | 'serverSendTimeUnixNanos'
>;

/** Starts to measure a probe as a whole, by a clock that never steps; the result tells the times up to its call. */
export function startProbeClock(): () => ProbeTimes {
  const clientSendTimeUnixNanos = BigInt(Date.now()) * 1_000_000n;
  const started = process.hrtime.bigint();
  return () => {
    const elapsed = process.hrtime.bigint() - started;
    return {
      rttMs: Number(elapsed) / 1e6,
      clientSendTimeUnixNanos,
      clientReceiveTimeUnixNanos: clientSendTimeUnixNanos + elapsed,
      serverReceivedTimeUnixNanos: 0n,
      serverSendTimeUnixNanos: 0n,
    };
  };
}
