import type { JsonObject } from '@bufbuild/protobuf';
import { type Memory, type ProcessingHistory, ProcessingStatus } from '../../../shared/gen/service/v1/memory_pb.ts';
import { timestampFromMs } from '../../../shared/time.ts';
import type { MemoryRow } from '../../store/memory-row.ts';
import type { ChunkingConfig } from '../../workers/chunk/config.ts';
import { chunkingMessage } from '../chunking-config.ts';

interface MemoryExtras {
  content?: Uint8Array | undefined;
  history?: ProcessingHistory | undefined;
}

/** The record of a memory. Written out, because `create` takes ten times as long and a retrieval has many of them. */
export function memoryMessage(row: MemoryRow, { content, history }: MemoryExtras = {}): Memory {
  return {
    $typeName: 'service.v1.Memory',
    memoryId: row.memoryId,
    spaceId: row.spaceId,
    originalContentLength: BigInt(row.contentLength),
    originalContentSha256: row.contentSha256,
    contentType: row.contentType,
    processingStatus: ProcessingStatus[row.processingStatus],
    pageImageStatus: ProcessingStatus[row.pageImageStatus],
    pageImageCount: row.pageImageCount,
    metadata: row.metadata as JsonObject,
    createdAt: timestampFromMs(row.createdAt),
    updatedAt: timestampFromMs(row.updatedAt),
    createdById: row.createdById,
    updatedById: row.updatedById,
    ...(content === undefined ? {} : { originalContent: content }),
    ...(row.contentRef === null ? {} : { originalContentRef: row.contentRef }),
    ...(row.chunkingConfig === null ? {} : { chunkingConfig: chunkingMessage(row.chunkingConfig as ChunkingConfig) }),
    ...(row.failureReason === null ? {} : { failureReason: row.failureReason }),
    ...(row.expiresAt === null ? {} : { expiresAt: timestampFromMs(row.expiresAt) }),
    ...(history === undefined ? {} : { processingHistory: history }),
  };
}
