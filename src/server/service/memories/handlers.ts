import { create } from '@bufbuild/protobuf';
import { EmptySchema } from '@bufbuild/protobuf/wkt';
import { failedPrecondition, notFound, type ServiceError } from '../../../shared/errors.ts';
import type { Memory } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import { requeueMemory } from '../../store/memories.ts';
import type { ProcessingStatusName } from '../../store/memory-row.ts';
import { isUnfinished } from '../../store/memory-row.ts';
import type { Handlers } from '../handlers.ts';
import { MAX_ATTEMPTS } from '../ingest/failed-attempt.ts';
import { callerOf } from '../permission.ts';
import { batchCreateMemory } from './batch-create.ts';
import { batchDeleteMemory } from './batch-delete.ts';
import { batchGetMemory } from './batch-get.ts';
import { contentSource, textSource } from './content-source.ts';
import { createMemory } from './create-memory.ts';
import { deleteMemory } from './delete-memory.ts';
import type { CreateDeps, MemoryDeps } from './deps.ts';
import { InsertGroups } from './insert-groups.ts';
import { listChunks } from './list-chunks.ts';
import { listMemories } from './list-memories.ts';
import { loadMemory, memoryRecords } from './load-memory.ts';
import { memoryMessage } from './memory-message.ts';
import { updateMemory } from './update-memory.ts';

type MemoryHandlers = Pick<
  Handlers,
  | 'createMemory'
  | 'getMemory'
  | 'updateMemory'
  | 'reprocessMemory'
  | 'listMemories'
  | 'deleteMemory'
  | 'batchCreateMemory'
  | 'batchGetMemory'
  | 'batchDeleteMemory'
  | 'listChunks'
  | 'getMemoryContent'
  | 'getMemoryText'
>;

export function createMemoryHandlers(deps: MemoryDeps): MemoryHandlers {
  const { db } = deps;
  const creating: CreateDeps = { ...deps, inserts: new InsertGroups(db.main) };
  return {
    createMemory: (request, context) => createMemory(creating, request, context),

    async getMemory(request, context) {
      const memory = await loadMemory(deps, request.memoryId, 'READ_MEMORY', context);
      const [record] = await memoryRecords(deps, [memory], request, context, (error) => {
        throw error;
      });
      if (record === undefined) throw notFound('Memory', request.memoryId);
      return record;
    },

    updateMemory: (request, context) => updateMemory(deps, request, context),
    reprocessMemory: ({ memoryId }, context) => reprocessMemory(deps, memoryId, context),
    listMemories: (request, context) => listMemories(deps, request, context),

    async deleteMemory({ memoryId }, context) {
      await deleteMemory(deps, memoryId, context);
      return create(EmptySchema);
    },

    batchCreateMemory: (request, context) => batchCreateMemory(creating, request, context),
    batchGetMemory: (request, context) => batchGetMemory(deps, request, context),
    batchDeleteMemory: (request, context) => batchDeleteMemory(deps, request, context),
    listChunks: (request, context) => listChunks(deps, request, context),

    async getMemoryContent({ memoryId }, context) {
      return contentSource(db.main, await loadMemory(deps, memoryId, 'READ_MEMORY', context), context.signal);
    },

    async getMemoryText({ memoryId }, context) {
      return textSource(db.main, await loadMemory(deps, memoryId, 'READ_MEMORY', context), context.signal);
    },
  };
}

/**
 * Queues a processed memory again. The results of the earlier processing stay stored, but hidden from retrieval, until the
 * new job replaces them.
 */
async function reprocessMemory(
  deps: Pick<MemoryDeps, 'db' | 'ingest'>,
  memoryId: string,
  context: CallContext,
): Promise<Memory> {
  const { spaceId, processingStatus } = await loadMemory(deps, memoryId, 'CREATE_MEMORY', context);
  const again = { spaceId, memoryId, updatedById: callerOf(context).userId, maxAttempts: MAX_ATTEMPTS };
  if (isUnfinished(processingStatus)) throw beingProcessed(memoryId, processingStatus);
  const row = await requeueMemory(deps.db.main, again, { signal: context.signal });
  if (row === undefined) {
    // Another caller has queued or deleted it in between.
    const now = await loadMemory(deps, memoryId, 'CREATE_MEMORY', context);
    throw beingProcessed(memoryId, now.processingStatus);
  }
  deps.ingest.wake();
  return memoryMessage(row);
}

/** Leaves out a status that is final again in the meantime, since it would not explain the refusal. */
function beingProcessed(id: string, status: ProcessingStatusName): ServiceError {
  return failedPrecondition('The memory is being processed', {
    details: isUnfinished(status) ? `processingStatus is ${status}` : '',
    resource: { kind: 'Memory', id },
  });
}
