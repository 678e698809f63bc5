import { notFound, ServiceError } from '../../../shared/errors.ts';
import type { CreateMemoryRequest } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import { insertMemory, type NewMemory, selectExpiredMemory } from '../../store/memories.ts';
import { deleteMemoryRows } from '../../store/memory-deletion.ts';
import type { MemoryRow } from '../../store/memory-row.ts';
import { selectSpaceEmbedders } from '../../store/space-embedders.ts';
import type { SpaceRow } from '../../store/spaces.ts';
import { MAX_ATTEMPTS } from '../ingest/failed-attempt.ts';
import { callerOf } from '../permission.ts';
import { newId } from '../resources.ts';
import { chunkingOf, expiryOf, metadataOf } from './memory-fields.ts';
import { discardContent, type ReceivedContent, uploadSwept } from './receive-content.ts';

export interface MemoryToStore {
  request: CreateMemoryRequest;
  space: SpaceRow;
  content: ReceivedContent;
  filename?: string | undefined;
}

/** Stores a memory with its content and queues its job. Staged content is discarded when that fails. */
export async function storeMemory(db: Db, what: MemoryToStore, context: CallContext): Promise<MemoryRow> {
  const { content, space } = what;
  const memory = newMemory(what, callerOf(context).userId);
  try {
    const row = await insertReplacingExpired(db, memory, content, context);
    if (row === undefined) throw uploadSwept();
    return row;
  } catch (error) {
    // A commit in doubt may have made the content part of a memory; what is staged still belongs to none.
    if (content.at.kind === 'staged') await discardContent(db.main, content);
    // The only thing that a memory refers to is its space.
    if (error instanceof ServiceError && error.code === 'FAILED_PRECONDITION') throw notFound('Space', space.spaceId);
    throw error;
  }
}

/** An expired memory is gone for everybody, so its id is free, though the sweeper may not have come yet. */
async function insertReplacingExpired(db: Db, memory: NewMemory, content: ReceivedContent, context: CallContext) {
  const options = { signal: context.signal };
  try {
    return await insertMemory(db.main, memory, content.at, options);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'ALREADY_EXISTS') throw error;
    if (!(await deleteExpired(db, memory.memoryId, context))) throw error;
    return await insertMemory(db.main, memory, content.at, options);
  }
}

async function deleteExpired(db: Db, memoryId: string, { signal }: CallContext): Promise<boolean> {
  const expired = await selectExpiredMemory(db.main, memoryId, { signal });
  if (expired === undefined) return false;
  const { spaceId, contentId } = expired;
  const embedders = await selectSpaceEmbedders(db.main, [spaceId], { signal });
  const embedderIds = embedders.map(({ embedderId }) => embedderId);
  const ids = { spaceId, memoryIds: [memoryId], contentIds: [contentId], embedderIds };
  await db.main.withTx((tx) => deleteMemoryRows(tx, ids), { signal });
  return true;
}

function newMemory({ request, space, content, filename }: MemoryToStore, createdById: string): NewMemory {
  return {
    memoryId: request.memoryId ?? newId(),
    spaceId: space.spaceId,
    contentId: content.contentId,
    contentLength: content.length,
    contentSha256: content.sha256,
    contentRef: request.originalContentRef ?? null,
    // Checked by createViolations: whatever is stored has a type.
    contentType: request.contentType ?? '',
    extractPageImages: request.extractPageImages,
    metadata: metadataOf(request, filename),
    chunkingConfig: chunkingOf(request),
    expiresAt: expiryOf(request, space, Date.now()),
    createdById,
    maxAttempts: MAX_ATTEMPTS,
  };
}
