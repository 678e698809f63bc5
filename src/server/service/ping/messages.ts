import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type PingEndpoint,
  type PingResult,
  PingResultSchema,
  type PingServerMessage,
  PingServerMessageSchema,
} from '../../../shared/gen/service/v1/ping_pb.ts';
import type { ProbeOutcome } from '../../providers/target.ts';
import type { Clamp } from './plan.ts';
import type { PingFigures } from './statistics.ts';

type Texts = Record<string, string>;

export function probeResult(endpoint: PingEndpoint, seq: number, outcome: ProbeOutcome, metadata: Texts): PingResult {
  return create(PingResultSchema, {
    endpoint,
    seq,
    bytesSent: BigInt(outcome.bytesSent),
    bytesReceived: BigInt(outcome.bytesReceived),
    ok: outcome.ok,
    ...(outcome.httpStatus === undefined ? {} : { httpStatus: outcome.httpStatus }),
    rttMs: outcome.rttMs,
    timing: {
      clientSendTimeUnixNanos: outcome.clientSendTimeUnixNanos,
      serverReceivedTimeUnixNanos: outcome.serverReceivedTimeUnixNanos,
      serverSendTimeUnixNanos: outcome.serverSendTimeUnixNanos,
      clientReceiveTimeUnixNanos: outcome.clientReceiveTimeUnixNanos,
    },
    metadata,
    ...(outcome.ok ? {} : { errorMessage: outcome.errorMessage ?? 'The probe failed' }),
  });
}

export function resultEvent(value: PingResult): PingServerMessage {
  return serverMessage({ case: 'result', value });
}

export function noticeEvent({ code, message, requested, applied }: Clamp): PingServerMessage {
  const details = { requested: String(requested), applied: String(applied) };
  return serverMessage({ case: 'notice', value: { code, message, details } });
}

export function summaryEvent(
  endpoint: PingEndpoint,
  figures: PingFigures,
  clamps: readonly Clamp[],
): PingServerMessage {
  const appliedLimits = appliedByField(clamps, '');
  return serverMessage({ case: 'summary', value: { endpoint, ...figures, appliedLimits } });
}

/** What was applied instead of what was asked for, by the name of the field behind a prefix. */
export function appliedByField(clamps: readonly Clamp[], prefix: string): Texts {
  return Object.fromEntries(clamps.map(({ field, applied }) => [`${prefix}${field}`, String(applied)]));
}

function serverMessage(
  event: NonNullable<MessageInitShape<typeof PingServerMessageSchema>['event']>,
): PingServerMessage {
  return create(PingServerMessageSchema, { event });
}
