import type { OperationKey } from '../../src/shared/operations/table.ts';

/** The operations that this build has. Every other one of the table must answer UNIMPLEMENTED on both wires. */
export const BUILT: ReadonlySet<OperationKey> = new Set<OperationKey>([
  'initializeSystem',
  'getSystemInfo',
  'createUser',
  'getUser',
  'listUsers',
  'createApiKey',
  'getApiKey',
  'listApiKeys',
  'updateApiKey',
  'deleteApiKey',
  'createSpace',
  'getSpace',
  'listSpaces',
  'updateSpace',
  'deleteSpace',
  'createEmbedder',
  'getEmbedder',
  'listEmbedders',
  'updateEmbedder',
  'deleteEmbedder',
]);
