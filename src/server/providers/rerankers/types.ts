import type { ProbeOptions, ProbeOutcome } from '../probe-types.ts';
import type { TargetRecord } from '../target-record.ts';

/** Every provider that can rerank. */
export const RERANKER_PROVIDERS = ['VLLM', 'TEI', 'LLAMA_CPP', 'VOYAGE', 'COHERE', 'JINA'] as const;

export type RerankerProvider = (typeof RERANKER_PROVIDERS)[number];

export type RerankerRecord = TargetRecord<RerankerProvider>;

export interface RerankOptions {
  signal: AbortSignal;
  /** Epoch milliseconds at which the whole call ends as a time-out, retries included. */
  deadlineMs?: number;
}

export interface RerankerClient {
  /** The address called. */
  readonly resolvedEndpoint: string;
  /**
   * The provider's relevance of each text to the query, higher is better, in the order of the texts.
   * Rejects with a `ProviderError`, or with the signal's reason when the caller gives up.
   */
  rerank(query: string, texts: readonly string[], options: RerankOptions): Promise<number[]>;
  /** One rerank of one text, without retries. A failure is an outcome; only the signal rejects. */
  probe(payload: string, options: ProbeOptions): Promise<ProbeOutcome>;
}
