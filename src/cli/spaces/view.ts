import { type Space, SpaceSchema, VectorQuantization } from '../../shared/gen/service/v1/space_pb.ts';
import { chunkingText } from '../kit/flags/chunking.ts';
import { idColumn, labelsText, timeColumn } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';
import { bytesText, counted, yesNo } from '../kit/text/figures.ts';

export const spaceView: View<typeof SpaceSchema> = {
  desc: SpaceSchema,
  columns: [
    idColumn('ID', ({ spaceId }) => spaceId),
    { header: 'NAME', value: ({ name }) => name, isTitle: true },
    { header: 'PUBLIC', value: ({ publicRead }) => yesNo(publicRead), whole: true, spare: true },
    { header: 'LABELS', value: ({ labels }) => labelsText(labels), spare: true },
    timeColumn('CREATED', ({ createdAt }) => createdAt),
    {
      header: 'MEMORIES',
      value: ({ statistics }) => (statistics === undefined ? '' : String(statistics.memoryCount)),
      align: 'right',
      whole: true,
    },
    { header: 'SIZE', value: sizeText, align: 'right', whole: true },
  ],
  fields: [
    { header: 'id', value: ({ spaceId }) => spaceId },
    { header: 'name', value: ({ name }) => name },
    { header: 'description', value: ({ description }) => description ?? '' },
    { header: 'owner', value: ({ ownerId }) => ownerId },
    { header: 'public', value: ({ publicRead }) => yesNo(publicRead) },
    { header: 'labels', value: ({ labels }) => labelsText(labels) },
    {
      header: 'embedders',
      value: ({ spaceEmbedders }) =>
        spaceEmbedders.map(({ embedderId, defaultRetrievalWeight: weight }) => `${embedderId}=${weight}`).join(', '),
    },
    { header: 'memories', value: ({ statistics }) => (statistics === undefined ? '' : String(statistics.memoryCount)) },
    { header: 'size', value: sizeText },
    { header: 'chunking', value: ({ defaultChunkingConfig }) => chunkingText(defaultChunkingConfig) },
    { header: 'retention', value: ({ retentionDays }) => (retentionDays === undefined ? '' : `${retentionDays} days`) },
    {
      header: 'gives up',
      value: ({ giveUpAfterMinutes: n }) => (n === undefined ? '' : `after ${counted(n, 'minute')}`),
    },
    {
      header: 'quantized',
      value: ({ vectorQuantization: kind }) => (kind === VectorQuantization.BINARY ? 'binary' : ''),
    },
    timeColumn('created', ({ createdAt }) => createdAt),
    timeColumn('updated', ({ updatedAt }) => updatedAt),
  ],
};

/** Of the contents, "" where it was not asked for. */
function sizeText({ statistics }: Space): string {
  return statistics === undefined ? '' : bytesText(statistics.contentBytes);
}
