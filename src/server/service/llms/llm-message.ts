import { create, type JsonObject, type MessageInitShape } from '@bufbuild/protobuf';
import { type LLM, LLMSchema, type SamplingParamsSchema } from '../../../shared/gen/service/v1/llm_pb.ts';
import type { LlmCapabilities, LlmProvider } from '../../providers/llms/types.ts';
import type { LlmRow } from '../../store/llms.ts';
import { targetMembers } from '../targets/target-members.ts';
import { llmProviderType } from './llm-provider.ts';

export function llmMessage(row: LlmRow): LLM {
  const { defaultSamplingParams, maxContextLength, clientConfig } = row;
  return create(LLMSchema, {
    llmId: row.id,
    ...targetMembers(row),
    providerType: llmProviderType(row.providerType as LlmProvider),
    capabilities: row.capabilities as LlmCapabilities,
    ...(defaultSamplingParams === null
      ? {}
      : { defaultSamplingParams: defaultSamplingParams as MessageInitShape<typeof SamplingParamsSchema> }),
    ...(maxContextLength === null ? {} : { maxContextLength }),
    ...(clientConfig === null ? {} : { clientConfig: clientConfig as JsonObject }),
  });
}
