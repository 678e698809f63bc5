import { LLMProviderType } from '../../../shared/gen/service/v1/llm_pb.ts';
import { LLM_PROVIDERS, type LlmProvider } from '../../providers/llms/types.ts';

/** The provider that a request names; undefined for none. */
export function llmProvider(type: LLMProviderType): LlmProvider | undefined {
  return LLM_PROVIDERS.find((name) => llmProviderType(name) === type);
}

export function llmProviderType(provider: LlmProvider): LLMProviderType {
  return LLMProviderType[`LLM_PROVIDER_TYPE_${provider}`];
}
