import type { Reach } from './addresses.ts';

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
