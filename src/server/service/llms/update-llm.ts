import { invalidFields } from '../../../shared/errors.ts';
import { type UpdateLLMRequest, UpdateLLMRequestSchema } from '../../../shared/gen/service/v1/llm_pb.ts';
import type { CallContext } from '../../context.ts';
import type { LlmOwn, LlmRow } from '../../store/llms.ts';
import { hasChanges } from '../targets/has-changes.ts';
import { addressViolations } from '../targets/target-fields.ts';
import type { TargetDeps } from '../targets/target-kind.ts';
import { updateTarget } from '../targets/update-target.ts';
import { completeCapabilities } from './capabilities.ts';
import { llmKind } from './llm-kind.ts';
import { storedSamplingParams } from './sampling-params.ts';

export async function updateLlm(deps: TargetDeps, request: UpdateLLMRequest, context: CallContext): Promise<LlmRow> {
  const violations = addressViolations(request, deps.policy);
  if (violations.length > 0) throw invalidFields(violations);
  const change = {
    id: request.llmId,
    request,
    hasChanges: hasChanges(UpdateLLMRequestSchema, request),
    ownAfter: (current: LlmRow) => ownAfter(request, current),
  };
  return updateTarget(deps, llmKind, change, context);
}

/** Objects are replaced whole: what a given one leaves out is inferred again, or unset. */
function ownAfter(request: UpdateLLMRequest, current: LlmRow): LlmOwn {
  const { capabilities, defaultSamplingParams } = request;
  const modelIdentifier = request.modelIdentifier ?? current.modelIdentifier;
  return {
    capabilities:
      capabilities === undefined
        ? current.capabilities
        : completeCapabilities(capabilities, modelIdentifier).capabilities,
    defaultSamplingParams: storedSamplingParams(defaultSamplingParams) ?? current.defaultSamplingParams,
    maxContextLength: request.maxContextLength ?? current.maxContextLength,
    clientConfig: request.clientConfig ?? current.clientConfig,
  };
}
