import { ResultSetBoundary_Kind as Kind } from '../../../src/shared/gen/service/v1/retrieve_pb.ts';
import type { Handlers } from '../../support/client/grpc-server.fixture.ts';
import { chunks, history, memories, spaces } from './samples/memories.fixture.ts';
import { keys, users } from './samples/people.fixture.ts';
import { checks, info, status } from './samples/system.fixture.ts';
import { embedders, llms, rerankers } from './samples/targets.fixture.ts';
import { createdAt, HOSTILE, id, LONG, ME, WIDE } from './samples/values.fixture.ts';

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
