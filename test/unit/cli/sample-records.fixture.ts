import { ResultSetBoundary_Kind as Kind } from '../../../src/shared/gen/service/v1/retrieve_pb.ts';
import { timestampFromMs } from '../../../src/shared/time.ts';
import type { Handlers } from '../../support/client/grpc-server.fixture.ts';

/** An id with these two digits at its end. */
export const id = (end: string): string => `0198${end}00-0000-7000-8000-0000000000${end}`;
const at = (month: number, day: number, hour = 9, minute = 30) =>
  timestampFromMs(Date.UTC(2026, month - 1, day, hour, minute));
const ME = id('01');
const createdAt = at(2, 3);
const updatedAt = at(3, 1, 17, 5);
/** Text as only somebody who means harm, or a careless program, would store it. */
const HOSTILE = 'first line\nsecond\u001b[2J\u001b[31m line\t\u0007end';
const LONG = 'What the heating engineer said about the boiler in the cellar, and what it will cost us next winter';
const WIDE = '東京の図面と写真、二〇二六年の改築のために集めたもの';

const spaces = [
  {
    spaceId: id('b1'),
    name: 'house',
    ownerId: ME,
    createdAt,
    updatedAt,
    description: LONG,
    labels: { team: 'home', room: 'cellar' },
    spaceEmbedders: [
      { embedderId: id('c1'), defaultRetrievalWeight: 1 },
      { embedderId: id('c2'), defaultRetrievalWeight: 0.5 },
    ],
    defaultChunkingConfig: {
      strategy: { case: 'recursive', value: { chunkSize: 512, chunkOverlap: 64, lengthMeasurement: 1 } },
    },
    retentionDays: 365,
    statistics: { memoryCount: 1204n, contentBytes: 48_300_000n },
    giveUpAfterMinutes: 90,
  },
  { spaceId: id('b2'), name: WIDE, ownerId: id('02'), createdAt: at(1, 15), publicRead: true, statistics: {} },
  { spaceId: id('b3'), name: HOSTILE, ownerId: ME, createdAt: at(1, 1), labels: { note: HOSTILE } },
];

const memories = [
  {
    memoryId: id('f1'),
    spaceId: id('b1'),
    contentType: 'application/pdf',
    processingStatus: 3,
    pageImageCount: 12,
    originalContentLength: 1_284_000n,
    originalContentSha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    metadata: { path: 'scans/heating/boiler service report of the winter 2025.pdf', room: 'cellar', tags: ['a', 'b'] },
    chunkingConfig: { strategy: { case: 'sentence', value: { minChunkSize: 100, maxChunkSize: 800 } } },
    expiresAt: at(12, 31, 0, 0),
    createdAt,
    updatedAt,
  },
  {
    memoryId: id('f2'),
    spaceId: id('b1'),
    contentType: 'text/plain; charset=utf-8',
    processingStatus: 4,
    failureReason: 'OPENAI at api.example.org answered 401 (it refused the credential)',
    originalContentLength: 35n,
    metadata: { filename: `${WIDE}.txt` },
    createdAt: at(1, 15),
  },
  {
    memoryId: id('f3'),
    spaceId: id('b1'),
    contentType: 'text/markdown',
    processingStatus: 1,
    metadata: { path: HOSTILE },
    createdAt: at(1, 1),
  },
];

const history = {
  latestJob: { jobId: 1n, attempts: 2, maxAttempts: 5, lastError: 'The embedder did not answer within 30 s' },
  attempts: [
    {
      startedAt: at(2, 3, 9, 40),
      workerId: 'node-1/worker-3',
      progressCurrent: 40n,
      progressTotal: 120n,
      progressUnit: 'chunks',
    },
    {
      startedAt: at(2, 3, 9, 31),
      finishedAt: timestampFromMs(Date.UTC(2026, 1, 3, 9, 31, 30, 250)),
      ok: false,
      workerId: 'node-2/worker-1',
      progressCurrent: 0n,
      errorMessage: `The embedder did not answer within 30 s: ${HOSTILE}`,
    },
  ],
};

const chunks = [
  { memoryId: id('f1'), chunkSequenceNumber: 0, startOffset: 0, endOffset: 97, chunkText: LONG },
  { memoryId: id('f1'), chunkSequenceNumber: 1, startOffset: 97, endOffset: 124, chunkText: WIDE },
  { memoryId: id('f1'), chunkSequenceNumber: 12, startOffset: 124, endOffset: 12_345, chunkText: HOSTILE },
];

const target = (more: object) => ({
  displayName: 'Small',
  description: LONG,
  endpointUrl: 'http://models.lan:8080',
  apiPath: '/embed',
  modelIdentifier: 'BAAI/bge-small-en-v1.5',
  supportedModalities: [1, 2],
  labels: { default: 'true', team: 'home' },
  version: '2026-01',
  monitoringEndpoint: 'https://grafana.lan/d/models',
  ownerId: ME,
  createdAt,
  updatedAt,
  ...more,
});
const wideTarget = {
  displayName: WIDE,
  modelIdentifier: 'a-model-with-a-name/that-goes-on-and-on-and-on-v2',
  labels: {},
};
const hostileTarget = {
  displayName: HOSTILE,
  description: '',
  modelIdentifier: 'lexical-v1',
  endpointUrl: '',
  apiPath: '',
};

const embedders = [
  target({ embedderId: id('c1'), providerType: 3, dimensionality: 384, distributionType: 1, maxSequenceLength: 512 }),
  target({ ...wideTarget, embedderId: id('c2'), providerType: 1, dimensionality: 3072, distributionType: 1 }),
  target({ ...hostileTarget, embedderId: id('c3'), providerType: 10, dimensionality: 1024, distributionType: 1 }),
];
const capabilities = {
  supportsChat: true,
  supportsCompletion: false,
  supportsFunctionCalling: true,
  supportsSystemMessages: true,
  supportsStreaming: true,
  supportsSamplingParameters: true,
};
const llms = [
  target({
    llmId: id('d1'),
    providerType: 5,
    apiPath: '/chat/completions',
    modelIdentifier: 'llama3.1',
    maxContextLength: 131_072,
    capabilities,
    defaultSamplingParams: { maxTokens: 800, temperature: 0.2, topP: 0.9, stopSequences: ['\n\n'] },
    clientConfig: { keep_alive: '5m' },
  }),
  target({ ...wideTarget, llmId: id('d2'), providerType: 7, capabilities: { supportsChat: true } }),
  target({ ...hostileTarget, llmId: id('d3'), providerType: 1 }),
];
const rerankers = [
  target({ rerankerId: id('e1'), providerType: 3, apiPath: '/rerank', modelIdentifier: 'bge-reranker-base' }),
  target({ ...wideTarget, rerankerId: id('e2'), providerType: 7 }),
  target({ ...hostileTarget, rerankerId: id('e3'), providerType: 6 }),
];

const users = [
  {
    userId: id('02'),
    email: 'ada@example.org',
    displayName: 'Ada Lovelace',
    username: 'ada',
    role: 2,
    createdAt,
    updatedAt,
  },
  {
    userId: id('03'),
    email: 'a.very.long.address.of.somebody@department.example.org',
    displayName: WIDE,
    role: 3,
    createdAt,
  },
  { userId: ME, email: 'root@localhost', displayName: HOSTILE, username: 'root', role: 1, createdAt },
];

const keys = [
  {
    apiKeyId: id('a1'),
    userId: ME,
    keyPrefix: 'svc_4fgh',
    status: 1,
    labels: { purpose: 'ci' },
    restrictions: { readOnly: true, spaceIds: [id('b1'), id('b2')] },
    expiresAt: at(6, 1, 0, 0),
    lastUsedAt: at(3, 5, 9, 29),
    createdAt,
    updatedAt,
  },
  {
    apiKeyId: id('a2'),
    userId: ME,
    keyPrefix: 'svc_zz01',
    status: 2,
    labels: { host: WIDE, owner: 'somebody' },
    createdAt,
  },
  { apiKeyId: id('a3'), userId: ME, keyPrefix: 'svc_h05t', status: 1, labels: { note: HOSTILE }, createdAt },
];

const status = {
  state: 'READY',
  uptimeMs: 97_200_000n,
  schemaVersion: 7,
  database: 'external',
  counts: { users: 2n, spaces: 3n, memories: 48_211n },
  jobs: { PENDING: 0n, RUNNING: 1n, FAILED: 2n },
  pools: { main: { idle: 2, used: 1, waiting: 0 }, vectors: { idle: 0, used: 2, waiting: 14 } },
  requests: {
    RetrieveMemory: { count: 240n, errors: 1n, p50Ms: 8.12, p99Ms: 31.5 },
    BatchCreateMemory: { count: 12_000n, errors: 0n, p50Ms: 120.44, p99Ms: 2031.5 },
  },
  stages: { vector_search: { count: 240n, errors: 0n, p50Ms: 2.4, p99Ms: 9.7 } },
};

const checks = [
  { name: 'extension_version', status: 1, message: 'vector 0.8.1', remedy: '' },
  {
    name: 'tls_expiry',
    status: 2,
    message: 'The certificate expires in 9 days',
    remedy: 'Replace the files of --tls-cert-file and --tls-key-file, then restart',
  },
  { name: 'indexes', status: 3, message: `An index is invalid: ${HOSTILE}`, remedy: 'reindex index vectors_1' },
];

const info = {
  version: '1.4.0',
  gitCommit: '0f3c9a1d2b4e5f60718293a4b5c6d7e8f9012345',
  gitDescribe: 'v1.4.0-3-g0f3c9a1',
  buildTime: '2026-02-28T12:00:00Z',
  capabilities: { capabilities: { hybrid_search: 'true', ocr: 'false', vector_index: 'hnsw', embedded: 'true' } },
};

const probe = {
  endpoint: {
    targetType: 1,
    targetId: id('c1'),
    provider: 'TEI',
    modelIdentifier: 'BAAI/bge-small-en-v1.5',
    resolvedEndpoint: 'http://models.lan:8080/embed',
  },
  seq: 1,
  bytesSent: 96n,
  bytesReceived: 8241n,
  ok: true,
  httpStatus: 200,
  rttMs: 12.34,
};

const pages = [
  { pageIndex: 0, result: { case: 'page', value: { markdown: `# Report\n\n${LONG}` } } },
  { pageIndex: 1, result: { case: 'page', value: { markdown: HOSTILE } } },
  { pageIndex: 2, result: { case: 'status', value: { code: 13, message: `OCR of this page failed: ${HOSTILE}` } } },
];

const attemptsOf = (memory: (typeof memories)[number] | undefined, isAsked: boolean) =>
  isAsked ? { ...memory, processingStatus: 4, processingHistory: history } : { ...memory };

/** What the service answers when all goes well: fixed records of every kind, three in a list. */
export const SAMPLE_HANDLERS: Handlers = {
  unary: {
    Check: () => ({ status: 1 }),
    CreateSpace: () => ({ ...spaces[0] }),
    GetSpace: () => ({ ...spaces[0] }),
    ListSpaces: () => ({ spaces }),
    UpdateSpace: () => ({ ...spaces[0] }),
    DeleteSpace: () => ({}),
    GetMemory: ({ request }) =>
      attemptsOf(memories[0], (request as unknown as { includeProcessingHistory: boolean }).includeProcessingHistory),
    ListMemories: () => ({ memories }),
    UpdateMemory: () => ({ ...memories[0] }),
    ReprocessMemory: () => ({ ...memories[0] }),
    DeleteMemory: () => ({}),
    BatchCreateMemory: () => ({ results: [{ success: true, memoryId: id('f1'), memory: memories[0] }] }),
    BatchGetMemory: () => ({ results: [{ success: true, memoryId: id('f1'), memory: memories[0] }] }),
    BatchDeleteMemory: () => ({ results: [], totalDeleted: 2n }),
    ListChunks: () => ({ chunks }),
    CreateEmbedder: () => ({ ...embedders[0] }),
    GetEmbedder: () => ({ ...embedders[0] }),
    ListEmbedders: () => ({ embedders }),
    UpdateEmbedder: () => ({ ...embedders[0] }),
    DeleteEmbedder: () => ({}),
    CreateLLM: () => ({ llm: llms[0] }),
    GetLLM: () => ({ ...llms[0] }),
    ListLLMs: () => ({ llms }),
    UpdateLLM: () => ({ ...llms[0] }),
    DeleteLLM: () => ({}),
    CreateReranker: () => ({ ...rerankers[0] }),
    GetReranker: () => ({ ...rerankers[0] }),
    ListRerankers: () => ({ rerankers }),
    UpdateReranker: () => ({ ...rerankers[0] }),
    DeleteReranker: () => ({}),
    CreateUser: () => ({ ...users[0] }),
    GetUser: () => ({ ...users[0] }),
    ListUsers: () => ({ users }),
    UpdateUser: () => ({ ...users[0] }),
    DeleteUser: () => ({}),
    CreateApiKey: () => ({ rawApiKey: 'svc_4fghabcdefghijklmnopqrstuvwxyz2345', apiKeyMetadata: keys[0] }),
    GetApiKey: () => ({ ...keys[0] }),
    ListApiKeys: () => ({ keys }),
    UpdateApiKey: () => ({ ...keys[0] }),
    DeleteApiKey: () => ({}),
    InitializeSystem: () => ({ rootApiKey: 'svc_rootabcdefghijklmnopqrstuvwxyz2345', userId: ME }),
    GetSystemInfo: () => info,
    GetSystemStatus: () => status,
    Diagnose: () => ({ checks }),
    Drain: () => ({ state: 3, quiesced: false, message: '3 requests and 1 job are still running' }),
    PurgeBackgroundJobs: () => ({ jobsPurged: 1204n, attemptsPurged: 1310n, referencesPurged: 1198n, dryRun: true }),
    ReloadLicense: () => ({
      status: 1,
      message: 'The license of Example Ltd. is in force',
      activeLicense: {
        filename: 'license-2026.json',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        sizeBytes: 1812n,
        modifiedAt: createdAt,
      },
    }),
    PingOnce: () => probe,
    OcrDocument: () => ({ detectedFormat: 2, pageCount: 3, pages }),
  },
  stream: {
    GetMemoryContent: (call, send) => {
      send({ contentType: 'text/plain', data: Buffer.from(`${HOSTILE}\n`) });
      call.end();
    },
    GetMemoryText: (call, send) => {
      send({ contentType: 'text/plain', data: Buffer.from(`${LONG}\n${WIDE}\n`) });
      call.end();
    },
    RetrieveMemory: (call, send) => {
      send({ event: { case: 'resultSetBoundary', value: { kind: Kind.BEGIN, expectedItems: 3 } } });
      for (const memory of memories) send({ event: { case: 'memoryDefinition', value: memory } });
      for (const [index, chunk] of chunks.entries()) {
        const value = {
          item: { case: 'chunk', value: { ...chunk, memoryId: memories[index]?.memoryId } },
          memoryIndex: index,
          relevanceScore: 0.9 - index / 4,
        };
        send({ event: { case: 'retrievedItem', value } });
      }
      send({ event: { case: 'resultSetBoundary', value: { kind: Kind.END } } });
      const { explain, streamSummary } = call.request as unknown as { explain: boolean; streamSummary: boolean };
      if (streamSummary)
        send({ event: { case: 'abstractReply', value: { text: `${LONG} [1]. ${HOSTILE} ${WIDE} [2].` } } });
      if (!explain) return call.end();
      const details = {
        candidates: '30',
        embedMs: '3.20',
        searchMs: '12.41',
        loadMs: '2.05',
        rerankMs: '0.00',
        summarizeMs: '0.00',
        [`space.${id('b1')}`]: 'exact scan',
      };
      send({ event: { case: 'status', value: { code: 'EXPLAIN', message: 'How the results were found', details } } });
      call.end();
    },
  },
};
