import { create } from '@bufbuild/protobuf';
import { EmptySchema } from '@bufbuild/protobuf/wkt';
import { ServiceError } from '../../shared/errors.ts';
import { ProviderType } from '../../shared/gen/service/v1/common_pb.ts';
import { ListEmbeddersResponseSchema } from '../../shared/gen/service/v1/embedder_pb.ts';
import type { CallContext } from '../context.ts';
import type { Db } from '../store/db.ts';
import {
  deleteEmbedderRow,
  isEmbedderUsed,
  selectEmbedderForUpdate,
  selectEmbedderList,
  selectEmbedders,
} from '../store/embedders.ts';
import { dropVectorTable } from '../store/vector-tables.ts';
import { createEmbedder, type EmbedderDeps } from './embedders/create-embedder.ts';
import { embedderMessage } from './embedders/embedder-message.ts';
import { updateEmbedder } from './embedders/update-embedder.ts';
import type { Handlers } from './handlers.ts';
import { callerOf, requireMay, requireTarget, visibleTargets } from './permission.ts';
import { notFound } from './resource-ids.ts';

export type EmbedderHandlers = Pick<
  Handlers,
  'createEmbedder' | 'getEmbedder' | 'listEmbedders' | 'updateEmbedder' | 'deleteEmbedder'
>;

export function createEmbedderHandlers(deps: EmbedderDeps): EmbedderHandlers {
  const { db } = deps;
  return {
    createEmbedder: async (request, context) => embedderMessage(await createEmbedder(deps, request, context)),

    async getEmbedder({ embedderId }, context) {
      const [embedder] = await selectEmbedders(db.main, [embedderId], { signal: context.signal });
      if (embedder === undefined) throw notFound('Embedder', embedderId);
      requireTarget(context, 'READ_EMBEDDER', embedder);
      return embedderMessage(embedder);
    },

    async listEmbedders(request, context) {
      const { ownerId, providerType, label } = request;
      const filter = {
        visible: visibleTargets(callerOf(context)),
        ownerId,
        providerType: providerType === ProviderType.UNSPECIFIED ? undefined : ProviderType[providerType],
        labels: label,
      };
      const rows = await selectEmbedderList(db.main, filter, { signal: context.signal });
      return create(ListEmbeddersResponseSchema, { embedders: rows.map(embedderMessage) });
    },

    updateEmbedder: async (request, context) => embedderMessage(await updateEmbedder(deps, request, context)),

    async deleteEmbedder({ embedderId }, context) {
      await deleteEmbedder(db, embedderId, context);
      return create(EmptySchema);
    },
  };
}

function deleteEmbedder(db: Db, embedderId: string, context: CallContext): Promise<void> {
  return db.main.withTx(
    async (tx) => {
      const embedder = await selectEmbedderForUpdate(tx, embedderId);
      if (embedder === undefined) throw notFound('Embedder', embedderId);
      requireMay(context, 'DELETE_EMBEDDER', embedder.ownerId);
      if (await isEmbedderUsed(tx, embedderId)) {
        throw new ServiceError('FAILED_PRECONDITION', 'The embedder is used by a space');
      }
      await deleteEmbedderRow(tx, embedderId);
      await dropVectorTable(tx, embedderId);
    },
    { signal: context.signal },
  );
}
