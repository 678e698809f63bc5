import { create, type JsonObject } from '@bufbuild/protobuf';
import {
  type Chunk,
  ChunkVectorsSchema,
  NeighborChunksSchema,
  ProcessingStatus,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import { timestampFromMs } from '../../../shared/time.ts';
import type { ChunkRow } from '../../store/chunks.ts';
import type { NeighborRow } from '../../store/retrieved-chunks.ts';
import type { VectorsOfChunk } from './chunk-vectors.ts';

/** The parts of a chunk that are sent only on request. */
interface ChunkExtras {
  vectors?: VectorsOfChunk | undefined;
  neighbors?: readonly NeighborRow[] | undefined;
}

/** The record of a chunk. Written out, because `create` takes ten times as long and a retrieval has many of them. */
export function chunkMessage(row: ChunkRow, { vectors, neighbors }: ChunkExtras): Chunk {
  return {
    $typeName: 'service.v1.Chunk',
    chunkId: row.chunkId,
    memoryId: row.memoryId,
    chunkSequenceNumber: row.sequence,
    chunkText: row.text,
    vectorStatus: ProcessingStatus[row.vectorStatus as keyof typeof ProcessingStatus],
    startOffset: row.startOffset,
    endOffset: row.endOffset,
    ...(row.metadata === null ? {} : { metadata: row.metadata as JsonObject }),
    createdAt: timestampFromMs(row.createdAt),
    updatedAt: timestampFromMs(row.updatedAt),
    createdById: row.createdById,
    updatedById: row.updatedById,
    ...(vectors === undefined ? {} : { vectors: create(ChunkVectorsSchema, { vectors }) }),
    ...(neighbors === undefined
      ? {}
      : { neighbors: create(NeighborChunksSchema, { neighbors: neighbors.map(neighborOf) }) }),
  };
}

function neighborOf({ sequence, text }: NeighborRow) {
  return { chunkSequenceNumber: sequence, chunkText: text };
}
