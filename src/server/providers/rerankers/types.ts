import type { TargetClient, TargetRecord } from '../target.ts';

/** Every provider that can rerank. */
export const RERANKER_PROVIDERS = ['VLLM', 'TEI', 'LLAMA_CPP', 'VOYAGE', 'COHERE', 'JINA'] as const;

export type RerankerProvider = (typeof RERANKER_PROVIDERS)[number];

export type RerankerRecord = TargetRecord<RerankerProvider>;

export interface RerankOptions {
  signal: AbortSignal;
  /** Epoch milliseconds at which the whole call ends as a time-out, retries included. */
  deadlineMs?: number;
}

export interface RerankerClient extends TargetClient {
  /**
   * The provider's relevance of each text to the query, higher is better, in the order of the texts.
   * Rejects with a `ProviderError`, or with the signal's reason when the caller gives up.
   */
  rerank(query: string, texts: readonly string[], options: RerankOptions): Promise<number[]>;
}
