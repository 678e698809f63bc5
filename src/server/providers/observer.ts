import type { ProviderErrorReason } from './errors.ts';

/** One finished call to a provider; `reason` is left out when it succeeded. */
export interface ProviderCallEvent {
  kind: 'embedder' | 'reranker' | 'llm' | 'ocr';
  provider: string;
  durationMs: number;
  reason?: ProviderErrorReason;
}

/** Receives every finished call, retries counted one by one. Must not throw. */
export type ProviderObserver = (event: ProviderCallEvent) => void;
