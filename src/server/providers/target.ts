import type { Reach } from './addresses.ts';
import type { ProviderHttp } from './http.ts';
import type { ProviderObserver } from './observer.ts';

/** What a call needs to know of any inference target. */
export interface TargetRecord<Provider extends string = string> {
  /** Of the embedder, LLM or reranker. */
  id: string;
  providerType: Provider;
  /** http(s) address. */
  endpointUrl: string;
  apiPath: string;
  /** By the role of the owner. */
  reach: Reach;
  modelIdentifier: string;
  /** Epoch milliseconds; a record with another value gets a client of its own. */
  updatedAt: number;
  /**
   * Headers of the stored credential, asked for at each call because a secret may live in a file that is rotated.
   * Rejects with a `ProviderError` (`configuration`) when the credential is unusable.
   */
  credentials?: (signal: AbortSignal) => Promise<Record<string, string>>;
}

/** What the client of any inference target can do. */
export interface TargetClient {
  /** The address called; `builtin:<model>` for an embedder inside the server. */
  readonly resolvedEndpoint: string;
  /** One small real call, without retries. A failure is an outcome; only the signal rejects. */
  probe(payload: string, options: ProbeOptions): Promise<ProbeOutcome>;
}

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

/** What the clients of all inference targets need. */
export interface ClientDeps {
  http: ProviderHttp;
  /** Bound of one HTTP call in milliseconds (`--provider-timeout-s`). */
  timeoutMs: number;
  /** Told about every finished call, for the metrics. */
  observe?: ProviderObserver;
}
