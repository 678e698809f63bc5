import { ADMIN_OPERATIONS } from './admin.ts';
import { API_KEY_OPERATIONS } from './api-keys.ts';
import { EMBEDDER_OPERATIONS } from './embedders.ts';
import { LLM_OPERATIONS } from './llms.ts';
import { MEMORY_OPERATIONS } from './memories.ts';
import { OCR_OPERATIONS } from './ocr.ts';
import { joinedTables, type NamedOperation, TARGET_CALL } from './operation.ts';
import { PING_OPERATIONS } from './ping.ts';
import { RERANKER_OPERATIONS } from './rerankers.ts';
import { SPACE_OPERATIONS } from './spaces.ts';
import { SYSTEM_OPERATIONS } from './system.ts';
import { USER_OPERATIONS } from './users.ts';

/**
 * Every operation of the service, once. Routes, RPC handlers, log and metric labels, the drain rule, the permission checks
 * and the documentation all loop over this table.
 */
export const OPERATIONS = joinedTables([
  API_KEY_OPERATIONS,
  USER_OPERATIONS,
  SPACE_OPERATIONS,
  EMBEDDER_OPERATIONS,
  LLM_OPERATIONS,
  RERANKER_OPERATIONS,
  OCR_OPERATIONS,
  MEMORY_OPERATIONS,
  PING_OPERATIONS,
  SYSTEM_OPERATIONS,
  ADMIN_OPERATIONS,
]);

/** The one operation without an RPC: it passes any method, query and body on to a provider. */
export const PROXY_OPERATION: NamedOperation & { path: string; methods: readonly string[] } = {
  name: 'ProxyInferenceTarget',
  ...TARGET_CALL,
  permission: 'PROXY_INFERENCE_TARGET',
  errors: [],
  path: '/v1/proxy/{kind}/{id}/*',
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
};

export type Operations = typeof OPERATIONS;
export type OperationKey = keyof Operations;
