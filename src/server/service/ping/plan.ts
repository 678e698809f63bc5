import type { PingConfig, PingOnceRequest } from '../../../shared/gen/service/v1/ping_pb.ts';
import { type Clamp, PingLimits } from './limits.ts';
import { pingPayload } from './payload.ts';

/** What every probe of a ping has in common. */
export interface ProbePlan {
  timeoutMs: number;
  payload: string;
  clamps: readonly Clamp[];
}

/** A sequence of probes. */
export interface PingPlan extends ProbePlan {
  count: number;
  /** Between the starts of two probes. */
  intervalMs: number;
  /** Vary the interval by up to 20 percent. */
  jitter: boolean;
  /** Probes under way at once. */
  maxInFlight: number;
  labels: Readonly<Record<string, string>>;
}

/** Defaults filled in and limits applied. Throws INVALID_ARGUMENT for a bad payload. */
export function pingPlan(config: PingConfig): PingPlan {
  const limits = new PingLimits();
  const count = limits.applyUnlessZero('count', config.count);
  const intervalMs = limits.applyUnlessZero('intervalMs', config.intervalMs);
  const probe = probePlan(config, limits);
  const maxInFlight = limits.applyUnlessZero('maxInFlight', config.maxInFlight);
  return { ...probe, count, intervalMs, maxInFlight, jitter: config.jitter, labels: config.labels };
}

/** The same for a single probe. */
export function probePlan(
  request: Pick<PingOnceRequest, 'timeoutMs' | 'payloadType' | 'payload' | 'payloadSizeBytes'>,
  limits: PingLimits = new PingLimits(),
): ProbePlan {
  const timeoutMs = limits.applyUnlessZero('timeoutMs', request.timeoutMs);
  const sizeBytes = limits.apply('payloadSizeBytes', request.payloadSizeBytes);
  return { timeoutMs, payload: pingPayload(request, sizeBytes), clamps: limits.clamps };
}
