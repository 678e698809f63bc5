import { invalidFields, type Violation } from '../../../shared/errors.ts';
import { PayloadType, type PingConfig, type PingOnceRequest } from '../../../shared/gen/service/v1/ping_pb.ts';

/** How one number of a ping is completed and bounded. */
interface PingLimit {
  fallback: number;
  min?: number;
  max: number;
  /** The code of the notice about a clamp. */
  code: string;
  /** The name in the message of the notice. */
  what: string;
}

/** Every clamped field by its JSON name; the names appear in `appliedLimits` and in `clamped.<field>`. */
const PING_LIMITS = {
  count: { fallback: 4, max: 100, code: 'COUNT_CLAMPED', what: 'Probe count' },
  // Nothing is sent between two probes, so a stream without events for days looks like one that hangs.
  intervalMs: { fallback: 1000, min: 10, max: 3_600_000, code: 'INTERVAL_CLAMPED', what: 'Probe interval' },
  timeoutMs: { fallback: 5000, max: 60_000, code: 'TIMEOUT_CLAMPED', what: 'Probe time-out' },
  payloadSizeBytes: { fallback: 64, max: 1_048_576, code: 'PAYLOAD_CLAMPED', what: 'Payload size' },
  maxInFlight: { fallback: 1, max: 16, code: 'IN_FLIGHT_CLAMPED', what: 'Number of concurrent probes' },
} as const satisfies Record<string, PingLimit>;

type PingLimitField = keyof typeof PING_LIMITS;

/** One number that was asked for and not granted. */
export interface Clamp {
  field: PingLimitField;
  requested: bigint;
  applied: number;
  code: string;
  message: string;
}

/** The numbers of one request, and which of them had to be moved. */
class PingLimits {
  readonly clamps: Clamp[] = [];

  /** The value to use; undefined asks for the default. */
  apply(field: PingLimitField, requested: bigint | undefined): number {
    const { fallback, min = 0, max, code, what }: PingLimit = PING_LIMITS[field];
    if (requested === undefined) return fallback;
    const applied = Math.min(max, Math.max(min, Number(requested)));
    const message = `${what} was ${applied > requested ? 'raised' : 'reduced'}`;
    if (BigInt(applied) !== requested) this.clamps.push({ field, requested, applied, code, message });
    return applied;
  }

  /** As `apply`, for fields that do not tell 0 from being left out. */
  applyUnlessZero(field: PingLimitField, requested: bigint): number {
    return this.apply(field, requested === 0n ? undefined : requested);
  }
}

/** What every probe of a ping has in common. */
interface ProbePlan {
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

const MAX_PAYLOAD_BYTES = 1_048_576;
const FILLER = 'ping';
/** The quotes of an empty JSON text. */
const MIN_JSON_BYTES = 2;

interface PayloadRequest {
  payloadType: PayloadType;
  payload?: string | undefined;
  payloadSizeBytes?: bigint | undefined;
}

/**
 * The text that every probe sends: the caller's own, else `ping` repeated to `sizeBytes`, for JSON as a JSON text of
 * that size. Throws INVALID_ARGUMENT for BINARY, because every type of target takes text only.
 */
function pingPayload(request: PayloadRequest, sizeBytes: number): string {
  const violations = payloadProblems(request, sizeBytes);
  if (violations.length > 0) throw invalidFields(violations);
  if (request.payload !== undefined) return request.payload;
  if (request.payloadType !== PayloadType.JSON) return filled(sizeBytes);
  return `"${filled(sizeBytes - MIN_JSON_BYTES)}"`;
}

function payloadProblems({ payloadType, payload, payloadSizeBytes }: PayloadRequest, sizeBytes: number): Violation[] {
  const violations: Violation[] = [];
  if (payloadType === PayloadType.BINARY) {
    violations.push({ path: 'payloadType', problem: 'the target takes text only' });
  }
  if (payload !== undefined && payloadSizeBytes !== undefined) {
    violations.push({ path: 'payloadSizeBytes', problem: 'cannot be given together with payload' });
  }
  const problem = payload === undefined ? undefined : textProblem(payload, payloadType);
  if (problem !== undefined) violations.push({ path: 'payload', problem });
  if (payload === undefined && payloadType === PayloadType.JSON && sizeBytes < MIN_JSON_BYTES) {
    violations.push({ path: 'payloadSizeBytes', problem: `must be at least ${MIN_JSON_BYTES} for a JSON payload` });
  }
  return violations;
}

function textProblem(payload: string, type: PayloadType): string | undefined {
  if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) return `must have at most ${MAX_PAYLOAD_BYTES} bytes`;
  return type === PayloadType.JSON && !isJson(payload) ? 'must be JSON' : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function filled(bytes: number): string {
  return FILLER.repeat(Math.ceil(bytes / FILLER.length)).slice(0, bytes);
}
