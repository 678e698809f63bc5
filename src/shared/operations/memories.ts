import { MemoryService } from '../gen/service/v1/memory_pb.ts';
import { operation, READ, WRITE } from './operation.ts';
import { retrieveFromQuery, retrieveQueryName } from './retrieve-query.ts';
import { created, deleted, got, patched, posted } from './routes.ts';

const { method } = MemoryService;

export const MEMORY_OPERATIONS = {
  createMemory: operation(method.createMemory, {
    ...WRITE,
    permission: 'CREATE_MEMORY',
    readOnlyKey: 'judged',
    spaceBoundKey: 'judged',
    errors: ['NOT_FOUND', 'ALREADY_EXISTS'],
    rest: [
      created('/v1/memories', '/v1/memories/{memoryId}', {
        query: ['waitMs'],
        multipartField: 'request',
      }),
    ],
  }),
  getMemory: operation(method.getMemory, {
    ...READ,
    permission: 'READ_MEMORY',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [got('/v1/memories/{memoryId}')],
  }),
  updateMemory: operation(method.updateMemory, {
    ...WRITE,
    permission: 'UPDATE_MEMORY',
    readOnlyKey: 'judged',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [patched('/v1/memories/{memoryId}')],
  }),
  reprocessMemory: operation(method.reprocessMemory, {
    ...WRITE,
    permission: 'CREATE_MEMORY',
    readOnlyKey: 'judged',
    spaceBoundKey: 'judged',
    errors: ['FAILED_PRECONDITION'],
    rest: [posted('/v1/memories/{memoryId}:reprocess')],
  }),
  listMemories: operation(method.listMemories, {
    ...READ,
    permission: 'LIST_MEMORY',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [got('/v1/spaces/{spaceId}/memories')],
  }),
  deleteMemory: operation(method.deleteMemory, {
    ...WRITE,
    permission: 'DELETE_MEMORY',
    readOnlyKey: 'judged',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [deleted('/v1/memories/{memoryId}')],
  }),
  batchCreateMemory: operation(method.batchCreateMemory, {
    ...WRITE,
    permission: 'CREATE_MEMORY',
    readOnlyKey: 'judged',
    spaceBoundKey: 'judged',
    errors: [],
    itemsElsewhere: ['requests'],
    rest: [posted('/v1/memories:batchCreate', { query: ['waitMs'], multipartField: 'requests' })],
  }),
  batchGetMemory: operation(method.batchGetMemory, {
    ...READ,
    permission: 'READ_MEMORY',
    spaceBoundKey: 'judged',
    errors: [],
    itemsElsewhere: ['memoryIds'],
    rest: [posted('/v1/memories:batchGet')],
  }),
  batchDeleteMemory: operation(method.batchDeleteMemory, {
    ...WRITE,
    permission: 'DELETE_MEMORY',
    readOnlyKey: 'judged',
    spaceBoundKey: 'judged',
    errors: [],
    itemsElsewhere: ['memoryIds', 'requests'],
    rest: [posted('/v1/memories:batchDelete')],
  }),
  listMemoryPageImages: operation(method.listMemoryPageImages, {
    ...READ,
    permission: 'READ_MEMORY',
    spaceBoundKey: 'judged',
    errors: [],
    isLacking: true,
    rest: [got('/v1/memories/{memoryId}/pages')],
  }),
  listChunks: operation(method.listChunks, {
    ...READ,
    permission: 'READ_MEMORY',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [got('/v1/memories/{memoryId}/chunks'), got('/v1/spaces/{spaceId}/chunks')],
  }),
  getMemoryContent: operation(method.getMemoryContent, {
    ...READ,
    permission: 'READ_MEMORY',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [got('/v1/memories/{memoryId}/content')],
  }),
  getMemoryText: operation(method.getMemoryText, {
    ...READ,
    permission: 'READ_MEMORY',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [got('/v1/memories/{memoryId}/text', { isText: true })],
  }),
  getMemoryPageImageContent: operation(method.getMemoryPageImageContent, {
    ...READ,
    permission: 'READ_MEMORY',
    spaceBoundKey: 'judged',
    errors: [],
    isLacking: true,
    rest: [got('/v1/memories/{memoryId}/pages/{pageIndex}/image')],
  }),
  retrieveMemory: operation(method.retrieveMemory, {
    ...READ,
    permission: 'READ_MEMORY',
    spaceBoundKey: 'judged',
    errors: ['NOT_FOUND'],
    rest: [
      got('/v1/memories:retrieve', { fromQuery: retrieveFromQuery, queryName: retrieveQueryName }),
      posted('/v1/memories:retrieve'),
    ],
  }),
} as const;
