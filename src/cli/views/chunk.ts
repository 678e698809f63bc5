import { type Chunk, ChunkSchema } from '../../shared/gen/service/v1/memory_pb.ts';
import { idColumn } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';
import type { Column } from '../kit/output/table.ts';

const OWN: readonly Column<Chunk>[] = [
  { header: 'NUMBER', value: ({ chunkSequenceNumber }) => String(chunkSequenceNumber), align: 'right', whole: true },
  { header: 'FROM', value: ({ startOffset }) => String(startOffset), align: 'right', whole: true, spare: true },
  { header: 'TO', value: ({ endOffset }) => String(endOffset), align: 'right', whole: true, spare: true },
  { header: 'TEXT', value: ({ chunkText }) => chunkText },
];

export const chunkView: View<typeof ChunkSchema> = {
  desc: ChunkSchema,
  columns: [idColumn('MEMORY', ({ memoryId }) => memoryId), ...OWN],
};

/** The chunks of one memory on a screen: an id that is the same in every line would take the room of their text. */
export const chunksOfOneView: View<typeof ChunkSchema> = { desc: ChunkSchema, columns: OWN };
