import { withProviderDeadline } from './call-runner.ts';
import { ProviderError } from './errors.ts';
import type { ProviderResponse } from './http-exchange.ts';
import { type ObservedCall, observed } from './observer.ts';
import type { ProbeOptions, ProbeOutcome } from './target.ts';

/** The one call of a probe. */
interface ProbeCall {
  bytesSent: number;
  /** `read` throws the `ProviderError` that the answer means. */
  send(signal: AbortSignal): Promise<{ response: ProviderResponse; read(): unknown }>;
}

/**
 * One call as it is: no cut, no slot, no retry, because what a ping measures is the provider and not the queue in front
 * of it.
 */
export function probeTarget(
  observer: ObservedCall,
  peer: string,
  options: ProbeOptions,
  call: ProbeCall,
): Promise<ProbeOutcome> {
  return timedProbe(options, async (seen) => {
    const deadlineMs = Date.now() + options.timeoutMs;
    seen.bytesSent = call.bytesSent;
    await observed(observer, () =>
      withProviderDeadline({ signal: options.signal, deadlineMs, peer }, async (scope) => {
        const answer = await call.send(scope.signal);
        Object.assign(seen, seenIn(answer.response));
        answer.read();
      }),
    );
  });
}

function seenIn({ status, bytesSent, bytesReceived, timing }: ProviderResponse): Partial<ProbeOutcome> {
  return {
    httpStatus: status,
    bytesSent,
    bytesReceived,
    rttMs: timing.rttMs,
    clientSendTimeUnixNanos: timing.sentUnixNanos,
    clientReceiveTimeUnixNanos: timing.receivedUnixNanos,
  };
}

/**
 * Runs one probe and turns its end into an outcome. What `run` writes into `seen` goes before the times and counts of
 * the run as a whole. Only the signal rejects.
 */
export async function timedProbe(
  options: ProbeOptions,
  run: (seen: Partial<ProbeOutcome>) => Promise<void>,
): Promise<ProbeOutcome> {
  options.signal.throwIfAborted();
  const times = startProbeClock();
  const seen: Partial<ProbeOutcome> = {};
  const end = (failure?: ProviderError): ProbeOutcome => ({
    ok: failure === undefined,
    bytesSent: 0,
    bytesReceived: 0,
    ...times(),
    timedOut: failure?.reason === 'timeout',
    ...(failure === undefined ? {} : { errorMessage: failure.message }),
    ...seen,
  });
  try {
    await run(seen);
    return end();
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof ProviderError) return end(error);
    throw error;
  }
}

type ProbeTimes = Pick<
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
