import type { TargetRow } from './target-rows.ts';
import { createTargetStore } from './targets.ts';

/** What only an LLM has. */
export interface LlmOwn {
  /** JSON as the service made it. */
  capabilities: unknown;
  /** JSON as the service made it; null when none were given. */
  defaultSamplingParams: unknown;
  /** Tokens. */
  maxContextLength: number | null;
  /** JSON as the service made it; null when none was given. */
  clientConfig: unknown;
}

export type LlmRow = TargetRow<LlmOwn>;

export const llmStore = createTargetStore<LlmOwn>({
  name: 'llm',
  columns: {
    capabilities: 'jsonb',
    defaultSamplingParams: 'jsonb',
    maxContextLength: 'plain',
    clientConfig: 'jsonb',
  },
});
