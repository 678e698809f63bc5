import type { LlmCapabilities, LlmProvider, LlmRecord, SamplingParams } from '../../providers/llms/types.ts';
import type { LlmRow } from '../../store/llms.ts';
import { type LoaderDeps, loadTarget, targetRecord } from '../targets/load-targets.ts';
import { llmKind } from './llm-kind.ts';

export interface LlmLoader {
  /** Throws NOT_FOUND. */
  loadLlm(id: string, signal: AbortSignal): Promise<LlmRecord>;
}

/** LLMs in the form in which they are called. Permissions are not checked. */
export function createLlmLoader({ pool, secretsKey }: LoaderDeps): LlmLoader {
  return {
    loadLlm: async (id, signal) => llmRecord(await loadTarget(pool, llmKind, id, signal), secretsKey),
  };
}

function llmRecord(row: LlmRow, secretsKey: Uint8Array | undefined): LlmRecord {
  return {
    ...targetRecord<LlmProvider>(row, secretsKey),
    capabilities: row.capabilities as LlmCapabilities,
    defaultSamplingParams: (row.defaultSamplingParams ?? {}) as SamplingParams,
    clientConfig: (row.clientConfig ?? {}) as Record<string, unknown>,
  };
}
