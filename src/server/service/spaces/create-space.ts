import { invalidFields } from '../../../shared/errors.ts';
import type { CreateSpaceRequest, Space } from '../../../shared/gen/service/v1/space_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import { insertSpaceEmbedders } from '../../store/space-embedders.ts';
import { insertSpace } from '../../store/spaces.ts';
import { chunkingRecord, readChunkingConfig } from '../chunking-config.ts';
import { callerOf } from '../permission.ts';
import { newId, written } from '../resource-ids.ts';
import { resolveUser } from '../users/load-user.ts';
import { attachableEmbedders, chosenEmbedders, requireAttachable } from './space-embedders.ts';
import { spaceMessage } from './space-message.ts';

/** How long the memories of a space wait for a provider that is away. */
const DEFAULT_GIVE_UP_AFTER_MINUTES = 60;

export function createSpace(db: Db, request: CreateSpaceRequest, context: CallContext): Promise<Space> {
  const { chosen, violations } = chosenEmbedders(request);
  const chunking = readChunkingConfig(request.defaultChunkingConfig, 'defaultChunkingConfig');
  const problems = [...violations, ...chunking.violations];
  if (problems.length > 0) throw invalidFields(problems);
  return db.main.withTx(
    async (tx) => {
      const embedders = await attachableEmbedders(tx, chosen);
      const ownerId = await resolveUser(tx, context, 'CREATE_SPACE', request.ownerId);
      requireAttachable(context, embedders);
      const createdById = callerOf(context).userId;
      const row = await insertSpace(tx, {
        spaceId: request.spaceId ?? newId(),
        ownerId,
        name: request.name,
        description: request.description ?? null,
        labels: request.labels,
        publicRead: request.publicRead === true,
        chunkingConfig: chunkingRecord(chunking.message),
        retentionDays: request.retentionDays ?? null,
        giveUpAfterMinutes: request.giveUpAfterMinutes ?? DEFAULT_GIVE_UP_AFTER_MINUTES,
        createdById,
      });
      const space = written(row);
      const attached = await insertSpaceEmbedders(tx, { spaceId: space.spaceId, createdById, embedders });
      return spaceMessage({ ...space, embedders: attached });
    },
    { signal: context.signal },
  );
}
