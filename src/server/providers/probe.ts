import { ProviderError } from './errors.ts';
import type { ProviderResponse } from './http-exchange.ts';
import { type ObservedCall, observed } from './observer.ts';
import { startProbeClock } from './probe-clock.ts';
import { withDeadline } from './scope.ts';
import type { ProbeOptions, ProbeOutcome } from './target.ts';

/** The one call of a probe. */
export interface ProbeCall {
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
      withDeadline({ signal: options.signal, deadlineMs, peer }, async (scope) => {
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
