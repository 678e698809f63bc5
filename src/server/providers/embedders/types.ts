import type { ProviderHttp } from '../http.ts';
import type { ProviderObserver } from '../observer.ts';

/** Every embedder provider that a record may name. */
export const EMBEDDER_PROVIDERS = [
  'OPENAI',
  'VLLM',
  'LLAMA_CPP',
  'VOYAGE',
  'JINA',
  'TEI',
  'COHERE',
  'OLLAMA',
  'GEMINI',
  'BUILTIN',
  'ONNX',
] as const;

export type EmbedderProvider = (typeof EMBEDDER_PROVIDERS)[number];

/** Asymmetric models embed a question and the text that answers it differently. */
export type EmbedInputType = 'query' | 'document';

/** What a call needs to know of an embedder. */
export interface EmbedderRecord {
  embedderId: string;
  providerType: EmbedderProvider;
  /** http(s) address; "" for BUILTIN. */
  endpointUrl: string;
  apiPath: string;
  modelIdentifier: string;
  /** Length of every vector. */
  dimensionality: number;
  /** In tokens of the model; longer inputs are cut before the call. */
  maxSequenceLength?: number;
  /** Epoch milliseconds; a record with another value gets a client of its own. */
  updatedAt: number;
  /**
   * Headers of the stored credential, asked for at each call because a secret may live in a file that is rotated.
   * Rejects with a `ProviderError` (`configuration`) when the credential is unusable.
   */
  credentials?: (signal: AbortSignal) => Promise<Record<string, string>>;
}

export interface EmbedOptions {
  inputType: EmbedInputType;
  signal: AbortSignal;
  /** Epoch milliseconds at which the whole call ends as a time-out: waiting for a slot, all batches, all retries. */
  deadlineMs?: number;
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
  /** 0n: no embedding provider reports its own clock. */
  serverReceivedTimeUnixNanos: bigint;
  serverSendTimeUnixNanos: bigint;
  timedOut: boolean;
  /** A sentence; left out when `ok`. */
  errorMessage?: string;
}

export interface EmbedderClient {
  /** The address called, or `builtin:<model>`. */
  readonly resolvedEndpoint: string;
  /**
   * One unit-length vector of `dimensionality` values per text, in the order of the texts.
   * Rejects with a `ProviderError`, or with the signal's reason when the caller gives up.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
  /** One small real call without retries. A failure is an outcome; only the signal rejects. */
  probe(payload: string, options: ProbeOptions): Promise<ProbeOutcome>;
}

/** The in-process embedder: computes off the event loop, one vector of `dimensions` values per text. */
export type BuiltinEmbed = (
  texts: readonly string[],
  dimensions: number,
  inputType: EmbedInputType,
  signal: AbortSignal,
) => Promise<Float32Array[]>;

export interface EmbedderDeps {
  http: ProviderHttp;
  /** Bound of one HTTP call in milliseconds (`--provider-timeout-s`). */
  timeoutMs: number;
  builtin: BuiltinEmbed;
  /** Told about every finished call, for the metrics. */
  observe?: ProviderObserver;
}
