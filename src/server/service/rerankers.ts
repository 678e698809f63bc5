import { create } from '@bufbuild/protobuf';
import { EmptySchema } from '@bufbuild/protobuf/wkt';
import { ProviderType } from '../../shared/gen/service/v1/common_pb.ts';
import { ListRerankersResponseSchema } from '../../shared/gen/service/v1/reranker_pb.ts';
import type { Handlers } from './handlers.ts';
import { createReranker } from './rerankers/create-reranker.ts';
import { rerankerKind } from './rerankers/reranker-kind.ts';
import { rerankerMessage } from './rerankers/reranker-message.ts';
import { updateReranker } from './rerankers/update-reranker.ts';
import { deleteTarget } from './targets/delete-target.ts';
import { getTarget, listTargets } from './targets/read-targets.ts';
import type { TargetDeps } from './targets/target-kind.ts';

export type RerankerHandlers = Pick<
  Handlers,
  'createReranker' | 'getReranker' | 'listRerankers' | 'updateReranker' | 'deleteReranker'
>;

export function createRerankerHandlers(deps: TargetDeps): RerankerHandlers {
  const { db } = deps;
  return {
    createReranker: async (request, context) => rerankerMessage(await createReranker(deps, request, context)),

    getReranker: async ({ rerankerId }, context) =>
      rerankerMessage(await getTarget(db, rerankerKind, rerankerId, context)),

    async listRerankers({ ownerId, providerType: type, label }, context) {
      const providerType = type === ProviderType.UNSPECIFIED ? undefined : ProviderType[type];
      const rows = await listTargets(db, rerankerKind, { ownerId, providerType, labels: label }, context);
      return create(ListRerankersResponseSchema, { rerankers: rows.map(rerankerMessage) });
    },

    updateReranker: async (request, context) => rerankerMessage(await updateReranker(deps, request, context)),

    async deleteReranker({ rerankerId }, context) {
      await deleteTarget(db, rerankerKind, rerankerId, context);
      return create(EmptySchema);
    },
  };
}
