import { describe, expect, test } from 'vitest';
import { statusOf } from '../../../../src/shared/error-details.ts';
import { notFound } from '../../../../src/shared/errors.ts';
import { MemoryService } from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { timestampFromMs } from '../../../../src/shared/time.ts';
import type { Handlers } from '../../../support/client/grpc-server.fixture.ts';
import { useService } from '../service.fixture.ts';

const ID = '01980000-0000-7000-8000-0000000000f1';
const SPACE = '01980000-0000-7000-8000-0000000000b1';

const start = useService([MemoryService]);

async function against(unary: NonNullable<Handlers['unary']>, stream: NonNullable<Handlers['stream']> = {}) {
  const { server, svc } = await start({ unary, stream });
  return {
    server,
    svc: (...args: string[]) => svc(['memories', ...args]),
    onTerminal: (...args: string[]) => svc(['memories', ...args, '--no-color'], { terminal: true, columns: 80 }),
  };
}

test('update sends the given fields, and names flags that exclude each other', async () => {
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

test.each([
  [
    '{"a":{"sum":9007199254740993}}',
    'a.sum: must not be an integer beyond 2^53, which would be rounded; give a string',
  ],
  ['{"big":-123456789012345678901}', 'big: must not be an integer beyond 2^53, which would be rounded; give a string'],
  ['{"big":1e999}', 'big: must be a finite number'],
  ['{"a":1,"a":2}', 'an object names a member twice, at line 1, column 8'],
])('invalid metadata is refused before any call: %s', async (metadata, details) => {
  const { server, svc } = await against({});
  for (const flag of ['--merge-metadata', '--replace-metadata']) {
    const { code, stderr } = await svc('update', ID, flag, metadata);
    expect(code).toBe(64);
    expect(stderr).toContain(`svc: ${flag} cannot be used\n  ${details}\n`);
  }
  expect(server.calls).toEqual([]);
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

describe('content', () => {
  const sending =
    (...parts: readonly Buffer[]): NonNullable<Handlers['stream']>[string] =>
    (call, send) => {
      for (const data of parts) send({ data });
      call.end();
    };
  const of = (...parts: readonly Buffer[]) => against({}, { GetMemoryContent: sending(...parts) });

  test('a pipe gets the bytes, a terminal the text without control characters and a last line feed', async () => {
    const text = Buffer.from('sch\u00f6n\r\n\u001b[2Jred\tx');
    // Cut inside of a letter and of a line end.
    const { svc, onTerminal } = await of(text.subarray(0, 4), text.subarray(4, 7), text.subarray(7));
    expect((await svc('content', ID)).stdout).toBe(text.toString());
    expect(await onTerminal('content', ID)).toEqual({ code: 0, stdout: 'sch\u00f6n\n[2Jred\tx\n', stderr: '' });
    expect((await onTerminal('content', ID, '-f')).stdout).toBe(text.toString());
  });

  test.each([
    ['NUL', Buffer.from('a\0b')],
    ['no UTF-8', Buffer.from([0x25, 0x50, 0xff, 0xfe])],
    ['a letter that is cut off', Buffer.from([0xc3])],
  ])('a terminal gets no other bytes without -f: %s', async (_, bytes) => {
    const { onTerminal } = await of(bytes);
    const refused = await onTerminal('content', ID);
    expect(refused).toMatchObject({ code: 64, stdout: '' });
    expect(refused.stderr).toBe(
      `svc: This content is not text: a terminal cannot show it\n  Write it to a file:\n  svc memories content ${ID} > FILE; or send it\n  as it is with -f\n`,
    );
    expect((await onTerminal('content', ID, '-f')).code).toBe(0);
  });
});

test('get shows the history and the text below the record', async () => {
  const attempts = [
    {
      startedAt: timestampFromMs(1772530200300),
      finishedAt: timestampFromMs(1772530201500),
      ok: false,
      workerId: 'host-1/4',
      progressCurrent: 1n,
      progressTotal: 3n,
      progressUnit: 'chunks',
      errorMessage: 'The embedder did not answer',
    },
  ];
  const memory = { memoryId: ID, spaceId: SPACE, processingStatus: 4, contentType: 'text/plain' };
  const { server, onTerminal } = await against({
    GetMemory: () => ({
      ...memory,
      originalContent: Buffer.from('The boiler.'),
      processingHistory: { latestJob: { attempts: 1, maxAttempts: 5 }, attempts },
    }),
  });
  const { stdout } = await onTerminal('get', ID, '--history', '--content');
  expect(server.calls[0]?.request).toMatchObject({ includeContent: true, includeProcessingHistory: true });
  expect(`\n${stdout}`).toMatchInlineSnapshot(`
    "
    FIELD     VALUE
    ──────────────────────────────────────────────
    id        01980000-0000-7000-8000-0000000000f1
    space     01980000-0000-7000-8000-0000000000b1
    status    FAILED
    error     The embedder did not answer
    type      text/plain
    size      0 B
    attempts  1 of 5

    STARTED    TOOK  RESULT  PROGRESS       WORKER    ERROR
    ─────────────────────────────────────────────────────────────────────────────
    1 day ago   1 s  failed  1 of 3 chunks  host-1/4  The embedder did not answer

    The boiler.
    "
  `);
  const binary = await against({ GetMemory: () => ({ ...memory, originalContent: Buffer.from([0xff]) }) });
  expect((await binary.onTerminal('get', ID, '--content')).stderr).toContain(`svc memories content ${ID} > FILE`);
});

test('delete takes many ids in batches, and reports each failure', async () => {
  const NOWHERE = '01980000-0000-7000-8000-0000000000ff';
  const missing = statusOf(notFound('Memory', NOWHERE));
  const { server, svc } = await against({
    BatchDeleteMemory: ({ request }) => {
      const { memoryIds } = request as unknown as { memoryIds: string[] };
      const results = memoryIds.map((id) => (id === NOWHERE ? { success: false, error: missing } : { success: true }));
      return { results, totalDeleted: BigInt(memoryIds.length) };
    },
  });
  const ids = Array.from({ length: 1001 }, () => ID);
  expect(await svc('delete', '-f', ...ids)).toMatchObject({ code: 0, stderr: 'Deleted 1001 memories\n' });
  expect(server.calls).toHaveLength(2);
  expect(await svc('delete', '-f', NOWHERE, ...ids, NOWHERE)).toMatchObject({
    code: 66,
    stderr: `svc: 2 of 1003 deletes failed; 1001 memories deleted\n  Memory not found: ${NOWHERE}; Memory not found: ${NOWHERE}\n  See what there is: svc memories list SPACE\n`,
  });
});

test('empty lists say what to do next', async () => {
  const { svc } = await against({ ListMemories: () => ({}), ListChunks: () => ({}) });
  expect((await svc('list', SPACE)).stderr).toBe(`No memories yet. Add some: svc memories add ${SPACE} FILE\n`);
  expect((await svc('list', SPACE, '--status', 'FAILED')).stderr).toContain(`svc memories list ${SPACE}\n`);
  expect((await svc('chunks', ID)).stderr).toContain(`svc memories get ${ID} --history\n`);
});
