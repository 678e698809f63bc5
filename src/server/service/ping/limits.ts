/** How one number of a ping is completed and bounded. */
interface PingLimit {
  fallback: number;
  min?: number;
  max: number;
  /** Of the notice that tells about a clamp. */
  code: string;
  /** As the notice calls it. */
  what: string;
}

/** Every clamped field by its JSON name; the names appear in `appliedLimits` and in `clamped.<field>`. */
const PING_LIMITS = {
  count: { fallback: 4, max: 100, code: 'COUNT_CLAMPED', what: 'Probe count' },
  // Nothing is sent between two probes: a stream that is silent for days cannot be told from one that hangs.
  intervalMs: { fallback: 1000, min: 10, max: 3_600_000, code: 'INTERVAL_CLAMPED', what: 'Probe interval' },
  timeoutMs: { fallback: 5000, max: 60_000, code: 'TIMEOUT_CLAMPED', what: 'Probe time-out' },
  payloadSizeBytes: { fallback: 64, max: 1_048_576, code: 'PAYLOAD_CLAMPED', what: 'Payload size' },
  maxInFlight: { fallback: 1, max: 16, code: 'IN_FLIGHT_CLAMPED', what: 'Number of concurrent probes' },
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
