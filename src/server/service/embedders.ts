import { create } from '@bufbuild/protobuf';
import { EmptySchema } from '@bufbuild/protobuf/wkt';
import { ServiceError } from '../../shared/errors.ts';
import { ProviderType } from '../../shared/gen/service/v1/common_pb.ts';
import { ListEmbeddersResponseSchema } from '../../shared/gen/service/v1/embedder_pb.ts';
import type { Queryable } from '../store/db.ts';
import { isEmbedderUsed } from '../store/embedders.ts';
import { dropVectorTable } from '../store/vector-tables.ts';
import { createEmbedder } from './embedders/create-embedder.ts';
import { embedderKind } from './embedders/embedder-kind.ts';
import { embedderMessage } from './embedders/embedder-message.ts';
import { updateEmbedder } from './embedders/update-embedder.ts';
import type { Handlers } from './handlers.ts';
import { deleteTarget } from './targets/delete-target.ts';
import { getTarget, listTargets } from './targets/read-targets.ts';
import type { TargetDeps } from './targets/target-kind.ts';

export type EmbedderHandlers = Pick<
  Handlers,
  'createEmbedder' | 'getEmbedder' | 'listEmbedders' | 'updateEmbedder' | 'deleteEmbedder'
>;

export function createEmbedderHandlers(deps: TargetDeps): EmbedderHandlers {
  const { db } = deps;
  return {
    createEmbedder: async (request, context) => embedderMessage(await createEmbedder(deps, request, context)),

    getEmbedder: async ({ embedderId }, context) =>
      embedderMessage(await getTarget(db, embedderKind, embedderId, context)),

    async listEmbedders({ ownerId, providerType: type, label }, context) {
      const providerType = type === ProviderType.UNSPECIFIED ? undefined : ProviderType[type];
      const rows = await listTargets(db, embedderKind, { ownerId, providerType, labels: label }, context);
      return create(ListEmbeddersResponseSchema, { embedders: rows.map(embedderMessage) });
    },

    updateEmbedder: async (request, context) => embedderMessage(await updateEmbedder(deps, request, context)),

    async deleteEmbedder({ embedderId }, context) {
      await deleteTarget(db, embedderKind, embedderId, context, {
        check: (tx) => requireUnused(tx, embedderId),
        deleted: (tx) => dropVectorTable(tx, embedderId),
      });
      return create(EmptySchema);
    },
  };
}

async function requireUnused(tx: Queryable, embedderId: string): Promise<void> {
  if (!(await isEmbedderUsed(tx, embedderId))) return;
  throw new ServiceError('FAILED_PRECONDITION', 'The embedder is used by a space', {
    details: 'delete the spaces that use it first',
  });
}
