import { create } from '@bufbuild/protobuf';
import {
  type Space,
  SpaceSchema,
  type SpaceStatistics,
  SpaceStatisticsSchema,
} from '../../../shared/gen/service/v1/space_pb.ts';
import { timestampFromMs } from '../../../shared/time.ts';
import type { CallOptions, Queryable } from '../../store/db.ts';
import { type SpaceEmbedderRow, selectSpaceEmbedders } from '../../store/space-embedders.ts';
import { type SpaceStatisticsRow, selectSpaceStatistics } from '../../store/space-statistics.ts';
import type { SpaceRow } from '../../store/spaces.ts';
import type { ChunkingConfig } from '../../workers/chunk/config.ts';
import { chunkingMessage } from '../chunking-config.ts';

export interface SpaceMessageOptions extends CallOptions {
  /** With what the spaces hold. */
  includeStatistics: boolean;
}

/** The messages of these spaces, in their order. */
export async function spaceMessages(
  q: Queryable,
  rows: readonly SpaceRow[],
  { includeStatistics, ...options }: SpaceMessageOptions,
): Promise<Space[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ spaceId }) => spaceId);
  const bySpace = new Map<string, SpaceEmbedderRow[]>(ids.map((id) => [id, []]));
  for (const embedder of await selectSpaceEmbedders(q, ids, options)) bySpace.get(embedder.spaceId)?.push(embedder);
  const messages = rows.map((row) => spaceMessage(row, bySpace.get(row.spaceId) ?? []));
  if (!includeStatistics) return messages;
  const statistics = new Map((await selectSpaceStatistics(q, ids, options)).map((row) => [row.spaceId, row]));
  return messages.map((space) => ({ ...space, statistics: statisticsMessage(statistics.get(space.spaceId)) }));
}

/** Of a space without memories there is no row. */
export function statisticsMessage(row: SpaceStatisticsRow | undefined): SpaceStatistics {
  const { memoryCount = 0, contentBytes = 0 } = row ?? {};
  return create(SpaceStatisticsSchema, { memoryCount: BigInt(memoryCount), contentBytes: BigInt(contentBytes) });
}

export function spaceMessage(row: SpaceRow, embedders: readonly SpaceEmbedderRow[]): Space {
  return create(SpaceSchema, {
    spaceId: row.spaceId,
    name: row.name,
    ...(row.description === null ? {} : { description: row.description }),
    labels: row.labels,
    spaceEmbedders: embedders.map((embedder) => ({
      spaceId: embedder.spaceId,
      embedderId: embedder.embedderId,
      defaultRetrievalWeight: embedder.defaultRetrievalWeight,
      ...auditOf(embedder),
    })),
    ownerId: row.ownerId,
    publicRead: row.publicRead,
    defaultChunkingConfig: chunkingMessage(row.chunkingConfig as ChunkingConfig),
    giveUpAfterMinutes: row.giveUpAfterMinutes,
    ...(row.retentionDays === null ? {} : { retentionDays: row.retentionDays }),
    ...auditOf(row),
  });
}

function auditOf(row: Pick<SpaceRow, 'createdAt' | 'updatedAt' | 'createdById' | 'updatedById'>) {
  return {
    createdAt: timestampFromMs(row.createdAt),
    updatedAt: timestampFromMs(row.updatedAt),
    createdById: row.createdById,
    updatedById: row.updatedById,
  };
}
