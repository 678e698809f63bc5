import type { JsonObject } from '@bufbuild/protobuf';
import type { OperationKey } from '../../shared/operations/table.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';
const EMBEDDER = '01980000-0000-7000-8000-0000000000c1';
const MEMORY = '01980000-0000-7000-8000-0000000000f1';

/** A body that can be sent as it is once its ids exist, for every operation that has one. */
export const EXAMPLES: Partial<Record<OperationKey, JsonObject>> = {
  createApiKey: { labels: { purpose: 'ci' }, restrictions: { readOnly: true } },
  updateApiKey: { status: 'INACTIVE' },
  createUser: { email: 'ada@example.org', displayName: 'Ada' },
  updateUser: { displayName: 'Ada Lovelace' },
  createSpace: { name: 'house', labels: { team: 'home' } },
  updateSpace: { name: 'house and garden', publicRead: true },
  createEmbedder: {
    displayName: 'Small text',
    providerType: 'OPENAI',
    endpointUrl: 'https://models.example.org/v1',
    modelIdentifier: 'text-small',
    dimensionality: 1536,
    credentials: { kind: 'CREDENTIAL_KIND_API_KEY', apiKey: { inlineSecret: '<SECRET>' } },
  },
  updateEmbedder: { displayName: 'Small text, renamed' },
  createLLM: {
    displayName: 'Chat',
    providerType: 'VLLM',
    endpointUrl: 'http://llm.lan:8000/v1',
    modelIdentifier: 'chat-8b',
  },
  updateLLM: { defaultSamplingParams: { topP: 0.9 } },
  createReranker: {
    displayName: 'Rerank',
    providerType: 'TEI',
    endpointUrl: 'http://rerank.lan:8080',
    modelIdentifier: 'rerank-base',
  },
  updateReranker: { mergeLabels: { room: 'cellar' } },
  ocrDocument: { content: 'JVBERi0xLjc=', format: 'PDF', includeMarkdown: true },
  createMemory: {
    spaceId: SPACE,
    contentType: 'text/plain',
    originalContent: 'The boiler was serviced on 3 March.',
    metadata: { room: 'cellar' },
  },
  updateMemory: { mergeMetadata: { room: 'attic', tags: null } },
  reprocessMemory: {},
  batchCreateMemory: {
    requests: [
      { spaceId: SPACE, contentType: 'text/plain', originalContent: 'The roofer comes on Monday.' },
      { spaceId: SPACE, contentType: 'text/markdown', originalContent: '# Attic\n\nInsulated in 2019.' },
    ],
  },
  batchGetMemory: { memoryIds: [MEMORY], includeContent: true },
  batchDeleteMemory: {
    requests: [{ memoryId: MEMORY }, { filterSelector: { spaceId: SPACE, filter: "val('$.room') = 'cellar'" } }],
  },
  retrieveMemory: { message: 'When was the boiler serviced?', spaceKeys: [{ spaceId: SPACE }], requestedSize: 5 },
  ping: { targetId: EMBEDDER, targetTypeHint: 'EMBEDDER', count: 4 },
  pingOnce: { targetId: EMBEDDER },
  initializeSystem: {},
  drain: { timeoutSec: 60, reason: 'upgrade' },
  purgeBackgroundJobs: { olderThan: '2026-01-01T00:00:00Z', dryRun: true },
  reloadLicense: {},
};
