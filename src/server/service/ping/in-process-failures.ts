import { ServiceError } from '../../../shared/errors.ts';
import { startProbeClock } from '../../providers/probe-clock.ts';
import type { ProbeOptions, ProbeOutcome } from '../../providers/target.ts';

/**
 * Runs one probe. An in-process target works in our own threads and fails with a ServiceError, such as a worker out of
 * memory: to the one who pings that is a failed probe like any other, not the end of the ping.
 */
export async function inProcessFailures(
  payload: string,
  { signal }: ProbeOptions,
  run: () => Promise<ProbeOutcome>,
): Promise<ProbeOutcome> {
  const times = startProbeClock();
  try {
    return await run();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
    return {
      ok: false,
      bytesSent: Buffer.byteLength(payload),
      bytesReceived: 0,
      ...times(),
      timedOut: error.code === 'DEADLINE_EXCEEDED',
      errorMessage: error.message,
    };
  }
}
