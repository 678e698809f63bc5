import { AdminService } from '../gen/service/v1/admin_pb.ts';
import { ApiKeyService } from '../gen/service/v1/api_key_pb.ts';
import { EmbedderService } from '../gen/service/v1/embedder_pb.ts';
import { LLMService } from '../gen/service/v1/llm_pb.ts';
import { MemoryService } from '../gen/service/v1/memory_pb.ts';
import { OcrService } from '../gen/service/v1/ocr_pb.ts';
import { PingService } from '../gen/service/v1/ping_pb.ts';
import { RerankerService } from '../gen/service/v1/reranker_pb.ts';
import { SpaceService } from '../gen/service/v1/space_pb.ts';
import { SystemService } from '../gen/service/v1/system_pb.ts';
import { UserService } from '../gen/service/v1/user_pb.ts';
import type { ScopedPermission } from '../identity.ts';
import { type NamedOperation, type OperationInfo, operation, type RestRoute } from './operation.ts';
import { retrieveFromQuery, retrieveQueryName } from './retrieve-query.ts';

const created = (path: string, location: string, more: Partial<RestRoute> = {}): RestRoute => ({
  method: 'POST',
  path,
  success: 201,
  response: 'message',
  location,
  ...more,
});
const got = (path: string, more: Partial<RestRoute> = {}): RestRoute => ({
  method: 'GET',
  path,
  success: 200,
  response: 'message',
  ...more,
});
const posted = (path: string, more: Partial<RestRoute> = {}): RestRoute => ({ ...got(path, more), method: 'POST' });
const put = (path: string): RestRoute => ({ method: 'PUT', path, success: 200, response: 'message' });
const deleted = (path: string): RestRoute => ({ method: 'DELETE', path, success: 204, response: 'none' });

const read = (permission: ScopedPermission, ...rest: RestRoute[]): OperationInfo => ({
  auth: 'key',
  permission,
  mutates: false,
  readOnly: true,
  rest,
});
const write = (permission: ScopedPermission, ...rest: RestRoute[]): OperationInfo => ({
  auth: 'key',
  permission,
  mutates: true,
  readOnly: false,
  rest,
});
/**
 * Every operation of the service, once. Routes, RPC handlers, log and metric labels, the drain rule and the permission
 * checks all loop over this table.
 */
export const OPERATIONS = {
  createApiKey: operation(ApiKeyService.method.createApiKey, {
    ...write('CREATE_APIKEY', created('/v1/apikeys', '/v1/apikeys/{apiKeyMetadata.apiKeyId}')),
    showsSecret: true,
  }),
  getApiKey: operation(ApiKeyService.method.getApiKey, read('READ_APIKEY', got('/v1/apikeys/{apiKeyId}'))),
  listApiKeys: operation(ApiKeyService.method.listApiKeys, read('LIST_APIKEY', got('/v1/apikeys'))),
  updateApiKey: operation(ApiKeyService.method.updateApiKey, write('UPDATE_APIKEY', put('/v1/apikeys/{apiKeyId}'))),
  deleteApiKey: operation(ApiKeyService.method.deleteApiKey, write('DELETE_APIKEY', deleted('/v1/apikeys/{apiKeyId}'))),

  createUser: operation(
    UserService.method.createUser,
    write('CREATE_USER', created('/v1/users', '/v1/users/{userId}')),
  ),
  getUser: operation(
    UserService.method.getUser,
    read(
      'READ_USER',
      got('/v1/users/me', { query: [] }),
      got('/v1/users/{userId}', { query: [] }),
      got('/v1/users/email/{email}', { query: [] }),
    ),
  ),
  listUsers: operation(UserService.method.listUsers, read('LIST_USER', got('/v1/users'))),
  updateUser: operation(UserService.method.updateUser, write('UPDATE_USER', put('/v1/users/{userId}'))),
  deleteUser: operation(UserService.method.deleteUser, write('DELETE_USER', deleted('/v1/users/{userId}'))),

  createSpace: operation(
    SpaceService.method.createSpace,
    write('CREATE_SPACE', created('/v1/spaces', '/v1/spaces/{spaceId}')),
  ),
  getSpace: operation(SpaceService.method.getSpace, read('READ_SPACE', got('/v1/spaces/{spaceId}'))),
  listSpaces: operation(SpaceService.method.listSpaces, read('LIST_SPACE', got('/v1/spaces'))),
  updateSpace: operation(SpaceService.method.updateSpace, write('UPDATE_SPACE', put('/v1/spaces/{spaceId}'))),
  deleteSpace: operation(SpaceService.method.deleteSpace, write('DELETE_SPACE', deleted('/v1/spaces/{spaceId}'))),

  createEmbedder: operation(
    EmbedderService.method.createEmbedder,
    write('CREATE_EMBEDDER', created('/v1/embedders', '/v1/embedders/{embedderId}')),
  ),
  getEmbedder: operation(EmbedderService.method.getEmbedder, read('READ_EMBEDDER', got('/v1/embedders/{embedderId}'))),
  listEmbedders: operation(EmbedderService.method.listEmbedders, read('LIST_EMBEDDER', got('/v1/embedders'))),
  updateEmbedder: operation(
    EmbedderService.method.updateEmbedder,
    write('UPDATE_EMBEDDER', put('/v1/embedders/{embedderId}')),
  ),
  deleteEmbedder: operation(
    EmbedderService.method.deleteEmbedder,
    write('DELETE_EMBEDDER', deleted('/v1/embedders/{embedderId}')),
  ),

  createLLM: operation(LLMService.method.createLLM, write('CREATE_LLM', created('/v1/llms', '/v1/llms/{llm.llmId}'))),
  getLLM: operation(LLMService.method.getLLM, read('READ_LLM', got('/v1/llms/{llmId}'))),
  listLLMs: operation(LLMService.method.listLLMs, read('LIST_LLM', got('/v1/llms'))),
  updateLLM: operation(LLMService.method.updateLLM, write('UPDATE_LLM', put('/v1/llms/{llmId}'))),
  deleteLLM: operation(LLMService.method.deleteLLM, write('DELETE_LLM', deleted('/v1/llms/{llmId}'))),

  createReranker: operation(
    RerankerService.method.createReranker,
    write('CREATE_RERANKER', created('/v1/rerankers', '/v1/rerankers/{rerankerId}')),
  ),
  getReranker: operation(RerankerService.method.getReranker, read('READ_RERANKER', got('/v1/rerankers/{rerankerId}'))),
  listRerankers: operation(RerankerService.method.listRerankers, read('LIST_RERANKER', got('/v1/rerankers'))),
  updateReranker: operation(
    RerankerService.method.updateReranker,
    write('UPDATE_RERANKER', put('/v1/rerankers/{rerankerId}')),
  ),
  deleteReranker: operation(
    RerankerService.method.deleteReranker,
    write('DELETE_RERANKER', deleted('/v1/rerankers/{rerankerId}')),
  ),

  ocrDocument: operation(OcrService.method.ocrDocument, {
    auth: 'key',
    permission: 'OCR_DOCUMENT',
    mutates: false,
    readOnly: false,
    rest: [posted('/v1/ocr:document')],
  }),

  createMemory: operation(
    MemoryService.method.createMemory,
    write(
      'CREATE_MEMORY',
      created('/v1/memories', '/v1/memories/{memoryId}', {
        query: ['waitMs'],
        multipartField: 'request',
      }),
    ),
  ),
  getMemory: operation(MemoryService.method.getMemory, read('READ_MEMORY', got('/v1/memories/{memoryId}'))),
  updateMemory: operation(
    MemoryService.method.updateMemory,
    write('UPDATE_MEMORY', { method: 'PATCH', path: '/v1/memories/{memoryId}', success: 200, response: 'message' }),
  ),
  reprocessMemory: operation(
    MemoryService.method.reprocessMemory,
    write('CREATE_MEMORY', posted('/v1/memories/{memoryId}:reprocess')),
  ),
  listMemories: operation(MemoryService.method.listMemories, read('LIST_MEMORY', got('/v1/spaces/{spaceId}/memories'))),
  deleteMemory: operation(
    MemoryService.method.deleteMemory,
    write('DELETE_MEMORY', deleted('/v1/memories/{memoryId}')),
  ),
  batchCreateMemory: operation(MemoryService.method.batchCreateMemory, {
    ...write('CREATE_MEMORY', posted('/v1/memories:batchCreate', { query: ['waitMs'], multipartField: 'requests' })),
    itemsElsewhere: ['requests'],
  }),
  batchGetMemory: operation(MemoryService.method.batchGetMemory, {
    ...read('READ_MEMORY', posted('/v1/memories:batchGet')),
    itemsElsewhere: ['memoryIds'],
  }),
  batchDeleteMemory: operation(MemoryService.method.batchDeleteMemory, {
    ...write('DELETE_MEMORY', posted('/v1/memories:batchDelete')),
    itemsElsewhere: ['memoryIds', 'requests'],
  }),
  listMemoryPageImages: operation(
    MemoryService.method.listMemoryPageImages,
    read('READ_MEMORY', got('/v1/memories/{memoryId}/pages')),
  ),
  listChunks: operation(
    MemoryService.method.listChunks,
    read('READ_MEMORY', got('/v1/memories/{memoryId}/chunks'), got('/v1/spaces/{spaceId}/chunks')),
  ),
  getMemoryContent: operation(
    MemoryService.method.getMemoryContent,
    read('READ_MEMORY', got('/v1/memories/{memoryId}/content', { response: 'content' })),
  ),
  getMemoryText: operation(
    MemoryService.method.getMemoryText,
    read('READ_MEMORY', got('/v1/memories/{memoryId}/text', { response: 'text' })),
  ),
  getMemoryPageImageContent: operation(
    MemoryService.method.getMemoryPageImageContent,
    read('READ_MEMORY', got('/v1/memories/{memoryId}/pages/{pageIndex}/image', { response: 'content' })),
  ),
  retrieveMemory: operation(
    MemoryService.method.retrieveMemory,
    read(
      'READ_MEMORY',
      got('/v1/memories:retrieve', { response: 'events', fromQuery: retrieveFromQuery, queryName: retrieveQueryName }),
      posted('/v1/memories:retrieve', { response: 'events' }),
    ),
  ),

  ping: operation(PingService.method.ping, {
    auth: 'key',
    mutates: false,
    readOnly: false,
    rest: [posted('/v1/ping:stream', { response: 'events', bodyField: 'config' })],
  }),
  pingOnce: operation(PingService.method.pingOnce, {
    auth: 'key',
    mutates: false,
    readOnly: false,
    rest: [posted('/v1/ping:once')],
  }),

  initializeSystem: operation(SystemService.method.initializeSystem, {
    auth: 'none',
    mutates: true,
    showsSecret: true,
    readOnly: false,
    rest: [posted('/v1/system/init')],
  }),
  getSystemInfo: operation(SystemService.method.getSystemInfo, {
    auth: 'optional',
    mutates: false,
    readOnly: true,
    rest: [got('/v1/system/info')],
  }),
  getSystemStatus: operation(SystemService.method.getSystemStatus, {
    auth: 'key',
    permission: 'READ_SYSTEM',
    mutates: false,
    readOnly: true,
    rest: [got('/v1/system/status')],
  }),
  diagnose: operation(SystemService.method.diagnose, {
    auth: 'key',
    permission: 'READ_SYSTEM',
    mutates: false,
    readOnly: true,
    rest: [got('/v1/system/diagnosis')],
  }),

  drain: operation(AdminService.method.drain, {
    auth: 'key',
    permission: 'DRAIN_SERVER',
    mutates: false,
    awaitsWork: true,
    readOnly: false,
    rest: [posted('/v1/admin:drain')],
  }),
  purgeBackgroundJobs: operation(AdminService.method.purgeBackgroundJobs, {
    auth: 'key',
    permission: 'PURGE_JOBS',
    mutates: false,
    readOnly: false,
    rest: [posted('/v1/admin/background-jobs:purge')],
  }),
  reloadLicense: operation(AdminService.method.reloadLicense, {
    auth: 'key',
    permission: 'RELOAD_LICENSE',
    mutates: false,
    readOnly: false,
    rest: [posted('/v1/admin/license:reload')],
  }),
} as const;

/** The one operation without an RPC: it passes any method, query and body on to a provider. */
export const PROXY_OPERATION: NamedOperation & { path: string; methods: readonly string[] } = {
  name: 'ProxyInferenceTarget',
  auth: 'key',
  permission: 'PROXY_INFERENCE_TARGET',
  mutates: false,
  readOnly: false,
  rest: [],
  path: '/v1/proxy/{kind}/{id}/*',
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
};

export type Operations = typeof OPERATIONS;
export type OperationKey = keyof Operations;
