export interface ProbeOptions {
  signal: AbortSignal;
  timeoutMs: number;
}

/** What one probe saw. Bytes are those of the bodies, without headers. */
export interface ProbeOutcome {
  ok: boolean;
  /** Left out when no response came, and for in-process embedders. */
  httpStatus?: number;
  bytesSent: number;
  bytesReceived: number;
  /** Milliseconds from the first byte sent to the last byte received. */
  rttMs: number;
  clientSendTimeUnixNanos: bigint;
  clientReceiveTimeUnixNanos: bigint;
  /** 0n: no provider reports its own clock. */
  serverReceivedTimeUnixNanos: bigint;
  serverSendTimeUnixNanos: bigint;
  timedOut: boolean;
  /** A sentence; left out when `ok`. */
  errorMessage?: string;
}
