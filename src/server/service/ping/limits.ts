/** How one number of a ping is completed and bounded. */
interface PingLimit {
  fallback: number;
  min?: number;
  max?: number;
  /** Of the notice that tells about a clamp. */
  code: string;
  message: string;
}

/** Every clamped field by its JSON name; the names appear in `appliedLimits` and in `clamped.<field>`. */
const PING_LIMITS = {
  count: { fallback: 4, max: 100, code: 'COUNT_CLAMPED', message: 'Probe count was reduced' },
  intervalMs: { fallback: 1000, min: 10, code: 'INTERVAL_CLAMPED', message: 'Interval between probes was raised' },
  timeoutMs: { fallback: 5000, max: 60_000, code: 'TIMEOUT_CLAMPED', message: 'Time-out of a probe was reduced' },
  payloadSizeBytes: { fallback: 64, max: 1_048_576, code: 'PAYLOAD_CLAMPED', message: 'Payload size was reduced' },
  maxInFlight: {
    fallback: 1,
    max: 16,
    code: 'IN_FLIGHT_CLAMPED',
    message: 'Number of probes under way at once was reduced',
  },
} as const satisfies Record<string, PingLimit>;

export type PingLimitField = keyof typeof PING_LIMITS;

/** One number that was asked for and not granted. */
export interface Clamp {
  field: PingLimitField;
  requested: bigint;
  applied: number;
  code: string;
  message: string;
}

/** The numbers of one request, and which of them had to be moved. */
export class PingLimits {
  readonly clamps: Clamp[] = [];

  /** The value to use; undefined asks for the default. */
  apply(field: PingLimitField, requested: bigint | undefined): number {
    const { fallback, min = 0, max = Number.MAX_SAFE_INTEGER, code, message }: PingLimit = PING_LIMITS[field];
    if (requested === undefined) return fallback;
    const applied = Math.min(max, Math.max(min, Number(requested)));
    if (BigInt(applied) !== requested) this.clamps.push({ field, requested, applied, code, message });
    return applied;
  }

  /** As `apply`, for fields that do not tell 0 from being left out. */
  applyUnlessZero(field: PingLimitField, requested: bigint): number {
    return this.apply(field, requested === 0n ? undefined : requested);
  }
}
