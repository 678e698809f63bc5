import { create } from '@bufbuild/protobuf';
import { EmptySchema } from '@bufbuild/protobuf/wkt';
import { ListLLMsResponseSchema } from '../../shared/gen/service/v1/llm_pb.ts';
import type { Handlers } from './handlers.ts';
import { createLlm } from './llms/create-llm.ts';
import { llmKind } from './llms/llm-kind.ts';
import { llmMessage } from './llms/llm-message.ts';
import { llmProvider } from './llms/llm-provider.ts';
import { updateLlm } from './llms/update-llm.ts';
import { deleteTarget } from './targets/delete-target.ts';
import { getTarget, listTargets } from './targets/read-targets.ts';
import type { TargetDeps } from './targets/target-kind.ts';

export type LlmHandlers = Pick<Handlers, 'createLLM' | 'getLLM' | 'listLLMs' | 'updateLLM' | 'deleteLLM'>;

export function createLlmHandlers(deps: TargetDeps): LlmHandlers {
  const { db } = deps;
  return {
    createLLM: (request, context) => createLlm(deps, request, context),

    getLLM: async ({ llmId }, context) => llmMessage(await getTarget(db, llmKind, llmId, context)),

    async listLLMs({ ownerId, providerType, label }, context) {
      const filter = { ownerId, providerType: llmProvider(providerType), labels: label };
      const rows = await listTargets(db, llmKind, filter, context);
      return create(ListLLMsResponseSchema, { llms: rows.map(llmMessage) });
    },

    updateLLM: async (request, context) => llmMessage(await updateLlm(deps, request, context)),

    async deleteLLM({ llmId }, context) {
      await deleteTarget(db, llmKind, llmId, context);
      return create(EmptySchema);
    },
  };
}
