import { ChunkSchema } from '../../shared/gen/service/v1/memory_pb.ts';
import type { View } from '../render/records.ts';

export const chunkView: View<typeof ChunkSchema> = {
  desc: ChunkSchema,
  columns: [
    { header: 'MEMORY', value: ({ memoryId }) => memoryId, whole: true },
    { header: 'NUMBER', value: ({ chunkSequenceNumber }) => String(chunkSequenceNumber), align: 'right', whole: true },
    { header: 'FROM', value: ({ startOffset }) => String(startOffset), align: 'right', whole: true },
    { header: 'TO', value: ({ endOffset }) => String(endOffset), align: 'right', whole: true },
    { header: 'TEXT', value: ({ chunkText }) => chunkText },
  ],
};
