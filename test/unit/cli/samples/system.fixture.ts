import { HOSTILE } from './values.fixture.ts';

export const status = {
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

export const checks = [
  { name: 'extension_version', status: 1, message: 'vector 0.8.1', remedy: '' },
  {
    name: 'tls_expiry',
    status: 2,
    message: 'The certificate expires in 9 days',
    remedy: 'Replace the files of --tls-cert-file and --tls-key-file, then restart',
  },
  { name: 'indexes', status: 3, message: `An index is invalid: ${HOSTILE}`, remedy: 'reindex index vectors_1' },
];

export const info = {
  version: '1.4.0',
  gitCommit: '0f3c9a1d2b4e5f60718293a4b5c6d7e8f9012345',
  gitDescribe: 'v1.4.0-3-g0f3c9a1',
  buildTime: '2026-02-28T12:00:00Z',
  capabilities: { capabilities: { hybrid_search: 'true', ocr: 'false', vector_index: 'hnsw', embedded: 'true' } },
};
