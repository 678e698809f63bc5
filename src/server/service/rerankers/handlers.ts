import { create } from '@bufbuild/protobuf';
import { invalidFields } from '../../../shared/errors.ts';
import { ProviderType } from '../../../shared/gen/service/v1/common_pb.ts';
import {
  type CreateRerankerRequest,
  ListRerankersResponseSchema,
  type Reranker,
  RerankerSchema,
  type UpdateRerankerRequest,
  UpdateRerankerRequestSchema,
} from '../../../shared/gen/service/v1/reranker_pb.ts';
import type { CallContext } from '../../context.ts';
import { RERANKER_PROVIDERS } from '../../providers/rerankers/types.ts';
import type { RerankerRow } from '../../store/rerankers.ts';
import type { Handlers } from '../handlers.ts';
import { createTarget } from '../targets/create-target.ts';
import { type TargetDeps, targetHandlers, targetMembers } from '../targets/handlers.ts';
import { rerankerKind } from '../targets/kinds.ts';
import { addressViolations } from '../targets/target-fields.ts';
import { hasChanges, updateTarget } from '../targets/update-target.ts';

type RerankerHandlers = Pick<
  Handlers,
  'createReranker' | 'getReranker' | 'listRerankers' | 'updateReranker' | 'deleteReranker'
>;

export function createRerankerHandlers(deps: TargetDeps): RerankerHandlers {
  const targets = targetHandlers(deps.db, rerankerKind, rerankerMessage);
  return {
    createReranker: async (request, context) => rerankerMessage(await createReranker(deps, request, context)),

    getReranker: ({ rerankerId }, context) => targets.get(rerankerId, context),

    async listRerankers({ ownerId, providerType: type, label }, context) {
      const providerType = type === ProviderType.UNSPECIFIED ? undefined : ProviderType[type];
      const rerankers = await targets.list({ ownerId, providerType, labels: label }, context);
      return create(ListRerankersResponseSchema, { rerankers });
    },

    updateReranker: async (request, context) => rerankerMessage(await updateReranker(deps, request, context)),

    deleteReranker: ({ rerankerId }, context) => targets.delete(rerankerId, context),
  };
}

function rerankerMessage(row: RerankerRow): Reranker {
  return create(RerankerSchema, {
    rerankerId: row.id,
    ...targetMembers(row),
    providerType: ProviderType[row.providerType as keyof typeof ProviderType],
  });
}

async function createReranker(
  deps: TargetDeps,
  request: CreateRerankerRequest,
  context: CallContext,
): Promise<RerankerRow> {
  const provider = RERANKER_PROVIDERS.find((name) => ProviderType[name] === request.providerType);
  const violations = addressViolations(request, deps.policy);
  if (provider === undefined) {
    violations.unshift({ path: 'providerType', problem: `must be one of ${RERANKER_PROVIDERS.join(', ')}` });
  }
  if (violations.length > 0 || provider === undefined) throw invalidFields(violations);
  const creation = { request, id: request.rerankerId, providerType: provider, own: {} };
  return createTarget(deps, rerankerKind, creation, context);
}

async function updateReranker(
  deps: TargetDeps,
  request: UpdateRerankerRequest,
  context: CallContext,
): Promise<RerankerRow> {
  const violations = addressViolations(request, deps.policy);
  if (violations.length > 0) throw invalidFields(violations);
  const change = {
    id: request.rerankerId,
    request,
    hasChanges: hasChanges(UpdateRerankerRequestSchema, request),
    ownAfter: () => ({}),
  };
  return updateTarget(deps, rerankerKind, change, context);
}
