import { create, type JsonObject } from '@bufbuild/protobuf';
import { type Chunk, ChunkSchema, ProcessingStatus } from '../../../shared/gen/service/v1/memory_pb.ts';
import { timestampFromMs } from '../../../shared/time.ts';
import type { ChunkRow } from '../../store/memory-chunks.ts';
import type { VectorsOfChunk } from './chunk-vectors.ts';

/** The record of a chunk, with its vectors when they were asked for. */
export function chunkMessage(row: ChunkRow, vectors?: VectorsOfChunk): Chunk {
  return create(ChunkSchema, {
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
    ...(vectors === undefined ? {} : { vectors: { vectors } }),
  });
}
