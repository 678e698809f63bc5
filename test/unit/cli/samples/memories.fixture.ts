import { timestampFromMs } from '../../../../src/shared/time.ts';
import { at, createdAt, HOSTILE, id, LONG, ME, updatedAt, WIDE } from './values.fixture.ts';

export const spaces = [
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

export const memories = [
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

export const history = {
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

export const chunks = [
  { memoryId: id('f1'), chunkSequenceNumber: 0, startOffset: 0, endOffset: 97, chunkText: LONG },
  { memoryId: id('f1'), chunkSequenceNumber: 1, startOffset: 97, endOffset: 124, chunkText: WIDE },
  { memoryId: id('f1'), chunkSequenceNumber: 12, startOffset: 124, endOffset: 12_345, chunkText: HOSTILE },
];
