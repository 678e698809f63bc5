import { PayloadTypeSchema } from '../../shared/gen/service/v1/ping_pb.ts';
import { usageError } from '../kit/errors.ts';
import { enumChoice } from '../kit/flags/enum.ts';
import { type FlagValues, filling, given } from '../kit/flags/flag.ts';
import { integer, text, toggle } from '../kit/flags/kinds.ts';
import { duration } from '../kit/flags/time.ts';

export const PING_FLAGS = {
  stream: toggle('--stream', 'Probe again and again'),
  count: integer('-c, --count <n>', 'Number of probes (default 4)', { min: 1 }),
  interval: filling(duration('-i, --interval <time>', 'Time between two probes: 1s, 500ms (default 1s)'), 'intervalMs'),
  timeout: filling(duration('-t, --timeout <time>', 'Time-out of one probe (default 5s)'), 'timeoutMs'),
  size: filling(integer('-s, --size <bytes>', 'Size of the payload (default 64)', { min: 1 }), 'payloadSizeBytes'),
  payload: text('--payload <text>', 'Payload to send'),
  payloadType: enumChoice('--payload-type <type>', 'Type of the payload', PayloadTypeSchema),
  jitter: toggle('--jitter', 'Vary the interval by up to 20 percent'),
  inFlight: filling(integer('--in-flight <n>', 'Probes under way at once (default 1)', { min: 1 }), 'maxInFlight'),
};
export type PingFlags = FlagValues<typeof PING_FLAGS>;

const DEFAULT_COUNT = 4;
const DEFAULT_INTERVAL_MS = 1000;
const DEFAULT_TIMEOUT_MS = 5000;

/** @throws CommandError for flags that contradict each other. */
export function checkPingFlags({ stream, count, interval, jitter, inFlight, payload, size }: PingFlags): void {
  if (payload !== undefined && size !== undefined) throw usageError('Give --payload or --size, not both');
  if (stream) return;
  if (count !== undefined || interval !== undefined || jitter || inFlight !== undefined) {
    throw usageError('-c, -i, --jitter and --in-flight need --stream');
  }
}

/** Of PingOnceRequest, and of PingConfig too. */
export function probeOptions({ timeout, size, payload, payloadType }: PingFlags) {
  return given({
    timeoutMs: timeout === undefined ? undefined : BigInt(timeout),
    payload,
    payloadSizeBytes: size === undefined ? undefined : BigInt(size),
    payloadType,
  });
}

/** The PingConfig of a stream. */
export function configOf(targetId: string, flags: PingFlags) {
  const { count, interval, jitter, inFlight } = flags;
  return {
    targetId,
    jitter,
    ...probeOptions(flags),
    ...given({
      count: count === undefined ? undefined : BigInt(count),
      intervalMs: interval === undefined ? undefined : BigInt(interval),
      maxInFlight: inFlight === undefined ? undefined : BigInt(inFlight),
    }),
  };
}

/** Probes that a stream asks for; the server may reduce them. */
export function probeCount({ count }: PingFlags): number {
  return count ?? DEFAULT_COUNT;
}

/** A bound on the whole stream: every probe late by the jitter and up to its time-out, and a minute. */
export function longestMs(flags: PingFlags): number {
  const { interval = DEFAULT_INTERVAL_MS, timeout = DEFAULT_TIMEOUT_MS } = flags;
  return probeCount(flags) * (interval * 1.2 + timeout) + 60_000;
}
