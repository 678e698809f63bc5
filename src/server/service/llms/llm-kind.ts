import { DEFAULT_LLM_API_PATH } from '../../providers/llms/types.ts';
import { type LlmOwn, llmStore } from '../../store/llms.ts';
import type { TargetKind } from '../targets/target-kind.ts';

export const llmKind: TargetKind<LlmOwn> = {
  resource: 'LLM',
  title: 'LLM',
  store: llmStore,
  defaultApiPath: () => DEFAULT_LLM_API_PATH,
  identity: () => [],
};
