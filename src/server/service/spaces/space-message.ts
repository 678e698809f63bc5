import { create } from '@bufbuild/protobuf';
import {
  type Space,
  type SpaceStatistics,
  SpaceStatisticsSchema,
  VectorQuantization,
} from '../../../shared/gen/service/v1/space_pb.ts';
import { timestampFromMs } from '../../../shared/time.ts';
import type { Queryable, StatementOptions } from '../../store/db.ts';
import { type SpaceStatisticsRow, selectSpaceStatistics } from '../../store/space-statistics.ts';
import type { SpaceRow, SpaceWithEmbedders } from '../../store/spaces.ts';
import type { ChunkingConfig } from '../../workers/chunk/config.ts';
import { chunkingMessage } from '../chunking-config.ts';

interface SpaceMessageOptions extends StatementOptions {
  /** Include the statistics of the spaces. */
  includeStatistics: boolean;
}

/** The messages of these spaces, in the same order. */
export async function spaceMessages(
  q: Queryable,
  rows: readonly SpaceWithEmbedders[],
  { includeStatistics, ...options }: SpaceMessageOptions,
): Promise<Space[]> {
  if (rows.length === 0) return [];
  const messages = rows.map(spaceMessage);
  if (!includeStatistics) return messages;
  const ids = rows.map(({ spaceId }) => spaceId);
  const statistics = new Map((await selectSpaceStatistics(q, ids, options)).map((row) => [row.spaceId, row]));
  return messages.map((space) => ({ ...space, statistics: statisticsMessage(statistics.get(space.spaceId)) }));
}

/** A space without memories has no row. */
export function statisticsMessage(row: SpaceStatisticsRow | undefined): SpaceStatistics {
  const { memoryCount = 0, contentBytes = 0 } = row ?? {};
  return create(SpaceStatisticsSchema, { memoryCount: BigInt(memoryCount), contentBytes: BigInt(contentBytes) });
}

/** The record of a space. Written out, because `create` takes ten times as long. */
export function spaceMessage(row: SpaceWithEmbedders): Space {
  return {
    $typeName: 'service.v1.Space',
    spaceId: row.spaceId,
    name: row.name,
    ...(row.description === null ? {} : { description: row.description }),
    labels: row.labels,
    spaceEmbedders: row.embedders.map((embedder) => ({
      $typeName: 'service.v1.SpaceEmbedder',
      spaceId: row.spaceId,
      embedderId: embedder.embedderId,
      defaultRetrievalWeight: embedder.defaultRetrievalWeight,
      ...auditOf(embedder),
    })),
    ownerId: row.ownerId,
    publicRead: row.publicRead,
    defaultChunkingConfig: chunkingMessage(row.chunkingConfig as ChunkingConfig),
    giveUpAfterMinutes: row.giveUpAfterMinutes,
    ...(row.vectorQuantization === null ? {} : { vectorQuantization: VectorQuantization[row.vectorQuantization] }),
    ...(row.retentionDays === null ? {} : { retentionDays: row.retentionDays }),
    ...auditOf(row),
  };
}

function auditOf(row: Pick<SpaceRow, 'createdAt' | 'updatedAt' | 'createdById' | 'updatedById'>) {
  return {
    createdAt: timestampFromMs(row.createdAt),
    updatedAt: timestampFromMs(row.updatedAt),
    createdById: row.createdById,
    updatedById: row.updatedById,
  };
}
