import { afterAll, expect, test } from 'vitest';
import { MemoryService } from '../../src/shared/gen/service/v1/memory_pb.ts';
import { type Handlers, startGrpcServer, type TestGrpcServer } from './cli-grpc-server.ts';
import { cli } from './cli-host.ts';

const ID = '01980000-0000-7000-8000-0000000000f1';
const SPACE = '01980000-0000-7000-8000-0000000000b1';

const servers: TestGrpcServer[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function against(unary: NonNullable<Handlers['unary']>) {
  const server = await startGrpcServer([MemoryService], { unary });
  servers.push(server);
  const env = { SVC_SERVER: `http://127.0.0.1:${server.port}`, SVC_API_KEY: 'svc_test' };
  return { server, svc: (...args: string[]) => cli(['memories', ...args], { env }) };
}

test('update sends what was given, and says which flags exclude each other', async () => {
  const { server, svc } = await against({ UpdateMemory: () => ({ memoryId: ID, spaceId: SPACE }) });
  expect(await svc('update', ID, '--merge-metadata', '{"room":"attic","tags":null}')).toMatchObject({ code: 0 });
  await svc('update', ID, '--replace-metadata', '{}', '--expires', '2100-01-01');
  await svc('update', ID, '--expires', '0');
  const { stdout } = await svc('update', ID, '-o', 'ndjson');
  expect(JSON.parse(stdout)).toMatchObject({ memoryId: ID });
  expect(server.calls.map(({ request }) => request)).toMatchObject([
    { memoryId: ID, metadataUpdate: { case: 'mergeMetadata', value: { room: 'attic', tags: null } } },
    { metadataUpdate: { case: 'replaceMetadata', value: {} }, expiresAt: { seconds: 4_102_444_800n } },
    { metadataUpdate: { case: undefined }, expiresAt: { seconds: 0n, nanos: 0 } },
    { metadataUpdate: { case: undefined } },
  ]);
  for (const flags of [
    ['--merge-metadata', '{}', '--replace-metadata', '{}'],
    ['--merge-metadata', '{'],
    ['--replace-metadata', '[]'],
    ['--expires', 'soon'],
  ]) {
    expect((await svc('update', ID, ...flags)).code, flags.join(' ')).toBe(64);
  }
});

test('reprocess shows the record', async () => {
  const { svc } = await against({ ReprocessMemory: () => ({ memoryId: ID, processingStatus: 1 }) });
  const { code, stdout } = await svc('reprocess', ID, '--plain');
  expect(code).toBe(0);
  expect(stdout).toContain('PENDING');
});

test('chunks are listed by memory or space, with vectors in the JSON forms', async () => {
  const chunk = { chunkId: SPACE, memoryId: ID, chunkText: 'The boiler\nwas serviced', endOffset: 23 };
  const vectors = { vectors: [{ embedderId: SPACE, values: [0.5, -0.5] }] };
  const { server, svc } = await against({
    ListChunks: ({ request }) => {
      const { includeVectors, nextToken } = request as unknown as { includeVectors: boolean; nextToken?: string };
      const chunks = [{ ...chunk, ...(includeVectors ? { vectors } : {}) }];
      return nextToken === undefined ? { chunks, nextToken: 'two' } : { chunks };
    },
  });
  const { stdout } = await svc('chunks', ID);
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^MEMORY +NUMBER +FROM +TO +TEXT$/),
    expect.stringMatching(/^01980000-.+ 0 +0 +23 +The boiler was serviced$/),
    expect.stringMatching(/^01980000-/),
    '',
  ]);
  const one = await svc('chunks', '--space', SPACE, '--vectors', '--limit', '1', '-o', 'ndjson');
  expect(JSON.parse(one.stdout)).toMatchObject({ memoryId: ID, vectors: vectors.vectors });
  expect(server.calls.at(-1)?.request).toMatchObject({ scope: { case: 'spaceId', value: SPACE }, maxResults: 1 });
  expect((await svc('chunks')).code).toBe(64);
  expect((await svc('chunks', ID, '--space', SPACE)).code).toBe(64);
});
