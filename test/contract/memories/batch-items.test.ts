import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { beforeAll, expect, test } from 'vitest';
import { BatchMemoryResponseSchema, type MemoryService } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { OPERATIONS } from '../../../src/shared/operations/table.ts';
import { framed, RawGrpc } from '../../support/raw-grpc.ts';
import { raw } from '../../support/raw-rest.ts';
import { sharedEmbedder, useServer } from '../../support/server.fixture.ts';
import { unique } from '../../support/stage.ts';

const running = useServer();
const BAD = 'Request has 1 invalid field: ';
const SHAPE = 'Invalid JSON: 1 invalid field: ';

let spaceId: string;
beforeAll(async () => {
  const { rootKey: key } = running;
  const space = { name: unique('items'), embedderId: await sharedEmbedder(running) };
  spaceId = (await raw(running.server, 'POST /v1/spaces', { key, body: space })).json.spaceId;
});

const good = () => ({ spaceId, contentType: 'text/plain', originalContent: 'kept' });
const post = (operation: string, body: unknown) =>
  raw(running.server, `POST /v1/memories:${operation}`, {
    key: running.rootKey,
    body: body as Record<string, unknown>,
  });

interface Result {
  success: boolean;
  requestIndex: number;
  memoryId?: string;
  error?: { code: number; message: string };
}

const outcomes = (results: readonly Result[]) =>
  results.map(({ success, requestIndex, error }, index) => {
    expect(requestIndex).toBe(index);
    return success ? 'stored' : `${error?.code} ${error?.message}`;
  });

test('a malformed item of batchCreate fails alone', async () => {
  const memoryId = crypto.randomUUID();
  const { status, json } = await post('batchCreate', {
    requests: [
      good(),
      { spaceId, contentType: 'text/plain', originalContentB64: 'a%b=' },
      { ...good(), metadata: { deep: [{ text: 'a\0b' }] } },
      { ...good(), foo: 1, memoryId },
      { ...good(), contentType: 7 },
      { ...good(), metadata: 'text' },
      null,
      'text',
      { ...good(), originalContentB64: 'YQ==' },
      good(),
    ],
  });
  expect(status).toBe(200);
  expect(outcomes(json.results)).toEqual([
    'stored',
    `400 ${BAD}originalContentB64: not base64`,
    `400 ${BAD}metadata.deep[0].text: must not contain NUL characters`,
    `400 ${SHAPE}foo: unknown field`,
    `400 ${SHAPE}contentType: must be a string`,
    `400 ${SHAPE}metadata: must be an object`,
    `400 ${SHAPE}request: must be an object`,
    `400 ${SHAPE}request: must be an object`,
    `400 ${BAD}originalContent: give either originalContent or originalContentB64`,
    'stored',
  ]);
  expect(json.results[3].memoryId).toBe(memoryId);
});

test('a file of an item that fails goes to no other item', async () => {
  const form = new FormData();
  const named = { spaceId, contentType: 'text/plain', fileField: 'a' };
  const requests = [
    { ...named, foo: 1 },
    { ...named, fileField: 'b' },
    { spaceId, contentType: 'text/plain' },
  ];
  form.set('requests', new Blob([JSON.stringify({ requests })], { type: 'application/json' }));
  form.set('a', new Blob(['for a'], { type: 'text/plain' }));
  form.set('b', new Blob(['for b'], { type: 'text/plain' }));
  const { status, json } = await raw(running.server, 'POST /v1/memories:batchCreate', {
    key: running.rootKey,
    body: form,
  });
  expect(status).toBe(200);
  expect(outcomes(json.results)).toEqual([
    `400 ${SHAPE}foo: unknown field`,
    'stored',
    `400 ${BAD}fileField: is required`,
  ]);
});

test('a malformed item of batchGet and of batchDelete fails alone', async () => {
  const created = (await post('batchCreate', { requests: [good(), good(), good()] })).json.results as Result[];
  const [first, second, third] = created.map(({ memoryId }) => memoryId);
  const bad = [first, 7, 'a\0b', null, 'no id'];
  const expected = [
    'stored',
    `400 ${SHAPE}memoryId: must be a string`,
    `400 ${BAD}memoryId: must not contain NUL characters`,
    `400 ${SHAPE}memoryId: must be a string`,
    `400 ${BAD}memoryId: not a UUID`,
  ];
  expect(outcomes((await post('batchGet', { memoryIds: bad })).json.results)).toEqual(expected);
  const deleted = (await post('batchDelete', { memoryIds: [...bad, second] })).json;
  expect(outcomes(deleted.results)).toEqual([...expected, 'stored']);
  expect(deleted.totalDeleted).toBe(2);
  const selected = (
    await post('batchDelete', {
      requests: [
        { memoryId: 7 },
        { memoryId: third, filterSelector: { spaceId } },
        {},
        { filterSelector: { spaceId, foo: 1 } },
        { filterSelector: { spaceId: 'no id' } },
        { filterSelector: { spaceId, filter: 'a =' } },
        { memoryId: third },
      ],
    })
  ).json;
  expect(outcomes(selected.results)).toEqual([
    `400 ${SHAPE}memoryId: must be a string`,
    `400 ${BAD}memoryId: give either memoryId or filterSelector`,
    `400 ${BAD}request: must have exactly one of memoryId and filterSelector`,
    `400 ${SHAPE}filterSelector.foo: unknown field`,
    `400 ${BAD}filterSelector.spaceId: not a UUID`,
    expect.stringMatching(/^400 Invalid filter: Parse error at line 1, column 1: filterSelector\.filter: /),
    'stored',
  ]);
});

test.each([
  ['batchCreate', { requests: {} }],
  ['batchCreate', { requests: [], foo: 1 }],
  ['batchCreate', []],
  ['batchGet', { memoryIds: 'x' }],
  ['batchGet', { memoryIds: [7], includeContent: 'maybe' }],
  ['batchDelete', { memoryIds: [7], requests: [{}] }],
])('a malformed envelope fails the whole batch: %s %j', async (operation, body) => {
  expect((await post(operation, body)).status).toBe(400);
});

test('over gRPC an item with an invalid value fails alone too', async () => {
  const client = new RawGrpc(running.server.grpc);
  type Method = keyof (typeof MemoryService)['method'];
  const call = async <M extends Method>(
    method: M,
    init: MessageInitShape<(typeof MemoryService)['method'][M]['input']>,
  ) => {
    const { input, parent, name } = OPERATIONS[method].rpc;
    const answer = await client.call(
      `/${parent.typeName}/${name}`,
      [framed(toBinary(input, create(input, init as never)))],
      {
        'x-api-key': running.rootKey,
      },
    );
    const { results } = fromBinary(BatchMemoryResponseSchema, answer.content.subarray(5));
    return results.map(({ success, error }) => (success ? 'stored' : `${error?.code} ${error?.message}`));
  };
  const originalContent = Buffer.from('kept');
  const item = { spaceId, contentType: 'text/plain', originalContent };
  expect(
    await call('batchCreateMemory', {
      requests: [{ ...item, metadata: { a: 'b\0' } }, { ...item, contentType: 'x\0' }, item],
    }),
  ).toEqual([
    `3 ${BAD}metadata.a: must not contain NUL characters`,
    `3 ${BAD}content_type: must not contain NUL characters`,
    'stored',
  ]);
  const requests = [
    { selector: { case: 'filterSelector' as const, value: { spaceId, statusFilter: 99 } } },
    { selector: { case: 'memoryId' as const, value: 'a\0' } },
  ];
  expect(await call('batchDeleteMemory', { requests })).toEqual([
    expect.stringMatching(/^3 .*: filter_selector\.status_filter: must be one of/),
    `3 ${BAD}memory_id: not a UUID`,
  ]);
  client.close();
});
