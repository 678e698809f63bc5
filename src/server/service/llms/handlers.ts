import { create, type JsonObject, type MessageInitShape } from '@bufbuild/protobuf';
import { invalidFields } from '../../../shared/errors.ts';
import {
  type CreateLLMRequest,
  type CreateLLMResponse,
  CreateLLMResponseSchema,
  ListLLMsResponseSchema,
  type LLM,
  LLMProviderType,
  LLMSchema,
  type SamplingParams as SamplingParamsMessage,
  type SamplingParamsSchema,
  type UpdateLLMRequest,
  UpdateLLMRequestSchema,
} from '../../../shared/gen/service/v1/llm_pb.ts';
import type { CallContext } from '../../context.ts';
import {
  LLM_PROVIDERS,
  type LlmCapabilities,
  type LlmProvider,
  type SamplingParams,
} from '../../providers/llms/types.ts';
import type { LlmOwn, LlmRow } from '../../store/llms.ts';
import type { Handlers } from '../handlers.ts';
import { createTarget } from '../targets/create-target.ts';
import { type TargetDeps, targetHandlers, targetMembers } from '../targets/handlers.ts';
import { llmKind } from '../targets/kinds.ts';
import { addressViolations } from '../targets/target-fields.ts';
import { hasChanges, updateTarget } from '../targets/update-target.ts';
import { completeCapabilities, inferenceStatuses } from './capabilities.ts';

type LlmHandlers = Pick<Handlers, 'createLLM' | 'getLLM' | 'listLLMs' | 'updateLLM' | 'deleteLLM'>;

export function createLlmHandlers(deps: TargetDeps): LlmHandlers {
  const targets = targetHandlers(deps.db, llmKind, llmMessage);
  return {
    createLLM: (request, context) => createLlm(deps, request, context),

    getLLM: ({ llmId }, context) => targets.get(llmId, context),

    async listLLMs({ ownerId, providerType, label }, context) {
      const filter = { ownerId, providerType: llmProvider(providerType), labels: label };
      return create(ListLLMsResponseSchema, { llms: await targets.list(filter, context) });
    },

    updateLLM: async (request, context) => llmMessage(await updateLlm(deps, request, context)),

    deleteLLM: ({ llmId }, context) => targets.delete(llmId, context),
  };
}

function llmMessage(row: LlmRow): LLM {
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

/** The provider that a request names; undefined for none. */
function llmProvider(type: LLMProviderType): LlmProvider | undefined {
  return LLM_PROVIDERS.find((name) => llmProviderType(name) === type);
}

function llmProviderType(provider: LlmProvider): LLMProviderType {
  return LLMProviderType[`LLM_PROVIDER_TYPE_${provider}`];
}

async function createLlm(
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

async function updateLlm(deps: TargetDeps, request: UpdateLLMRequest, context: CallContext): Promise<LlmRow> {
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

/** The members that a request gives, in the form in which they are stored; null when it gives no object. */
function storedSamplingParams(given: SamplingParamsMessage | undefined): SamplingParams | null {
  if (given === undefined) return null;
  const { stopSequences, maxTokens, temperature, topP, topK, frequencyPenalty, presencePenalty } = given;
  return {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
    ...(frequencyPenalty === undefined ? {} : { frequencyPenalty }),
    ...(presencePenalty === undefined ? {} : { presencePenalty }),
    ...(stopSequences.length === 0 ? {} : { stopSequences }),
  };
}
