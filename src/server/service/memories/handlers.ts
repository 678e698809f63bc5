import { create } from '@bufbuild/protobuf';
import { EmptySchema } from '@bufbuild/protobuf/wkt';
import type { Handlers } from '../handlers.ts';
import { notFound } from '../resource-ids.ts';
import { batchCreateMemory } from './batch-create.ts';
import { batchDeleteMemory } from './batch-delete.ts';
import { batchGetMemory } from './batch-get.ts';
import { contentSource, textSource } from './content-source.ts';
import { createMemory } from './create-memory.ts';
import { deleteMemory } from './delete-memory.ts';
import type { MemoryDeps } from './deps.ts';
import { listChunks } from './list-chunks.ts';
import { listMemories } from './list-memories.ts';
import { loadMemory, memoryRecords } from './load-memory.ts';
import { reprocessMemory } from './reprocess-memory.ts';
import { updateMemory } from './update-memory.ts';

export type MemoryHandlers = Pick<
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
  return {
    createMemory: (request, context) => createMemory(deps, request, context),

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

    batchCreateMemory: (request, context) => batchCreateMemory(deps, request, context),
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
