import { create } from '@bufbuild/protobuf';
import { invalidFields } from '../../../shared/errors.ts';
import {
  type CreateLLMRequest,
  type CreateLLMResponse,
  CreateLLMResponseSchema,
} from '../../../shared/gen/service/v1/llm_pb.ts';
import type { CallContext } from '../../context.ts';
import { LLM_PROVIDERS } from '../../providers/llms/types.ts';
import { createTarget } from '../targets/create-target.ts';
import { addressViolations } from '../targets/target-fields.ts';
import type { TargetDeps } from '../targets/target-kind.ts';
import { completeCapabilities, inferenceStatuses } from './capabilities.ts';
import { llmKind } from './llm-kind.ts';
import { llmMessage } from './llm-message.ts';
import { llmProvider } from './llm-provider.ts';
import { storedSamplingParams } from './sampling-params.ts';

export async function createLlm(
  deps: TargetDeps,
  request: CreateLLMRequest,
  context: CallContext,
): Promise<CreateLLMResponse> {
  const provider = llmProvider(request.providerType);
  const violations = addressViolations(request, deps.policy);
  if (provider === undefined) {
    violations.unshift({ path: 'providerType', problem: `must be one of ${LLM_PROVIDERS.join(', ')}` });
  }
  if (violations.length > 0 || provider === undefined) throw invalidFields(violations);
  const completed = completeCapabilities(request.capabilities, request.modelIdentifier);
  const own = {
    capabilities: completed.capabilities,
    defaultSamplingParams: storedSamplingParams(request.defaultSamplingParams),
    maxContextLength: request.maxContextLength ?? null,
    clientConfig: request.clientConfig ?? null,
  };
  const creation = { request, id: request.llmId, providerType: provider, own };
  const row = await createTarget(deps, llmKind, creation, context);
  return create(CreateLLMResponseSchema, { llm: llmMessage(row), statuses: inferenceStatuses(completed) });
}
