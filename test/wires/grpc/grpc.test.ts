import { create, type JsonObject, toBinary } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { MemoryService } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { UserService } from '../../../src/shared/gen/service/v1/user_pb.ts';
import { OPERATIONS } from '../../../src/shared/operations/table.ts';
import { useOwnServer } from '../../support/server.fixture.ts';
import { LIST_SPACES, metadata, pathOf, type Reply, useRawGrpc } from './raw-grpc.fixture.ts';

const running = useOwnServer(['--grpc-max-message-size-mb', '1']);
const { connected, call, serverStream } = useRawGrpc(running);
const GET_USER = pathOf(UserService.typeName, 'GetUser');

test.each([
  ['noise', Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff])],
  ['a cut message', Buffer.from([0x0a, 0x20, 0x61])],
  ['text that is not UTF-8', Buffer.from([0x0a, 0x02, 0xc3, 0x28])],
  ['a field of another wire type', Buffer.from([0x0d, 1, 2, 3])],
])('malformed bytes are INVALID_ARGUMENT: %s', async (_name, bytes) => {
  for (const operation of [OPERATIONS.createSpace, OPERATIONS.getUser, OPERATIONS.createApiKey]) {
    const { error } = await call(pathOf(operation.rpc.parent.typeName, operation.rpc.name), bytes);
    expect(error).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect(error?.metadata.get('x-error-code')).toEqual(['INVALID_ARGUMENT']);
    expect(error?.details).not.toMatch(/at \w+|node_modules/);
  }
});

test('malformed bytes on a stream', async () => {
  const path = pathOf(MemoryService.typeName, 'RetrieveMemory');
  const { error } = await serverStream(path, Buffer.from([0xff, 0xff, 0xff]));
  expect(error).toMatchObject({ code: status.INVALID_ARGUMENT });
});

test('a key comes as x-api-key or as a bearer, x-api-key first', async () => {
  const key = running.rootKey;
  const code = async (entries: Record<string, string>) => (await call(GET_USER, Buffer.alloc(0), entries)).error?.code;
  expect(await code({ 'x-api-key': key })).toBeUndefined();
  expect(await code({ authorization: `Bearer ${key}` })).toBeUndefined();
  expect(await code({ authorization: `bearer ${key}` })).toBeUndefined();
  expect(await code({ authorization: key })).toBe(status.UNAUTHENTICATED);
  expect(await code({ authorization: `Basic ${key}` })).toBe(status.UNAUTHENTICATED);
  expect(await code({ 'x-api-key': 'svc_wrong', authorization: `Bearer ${key}` })).toBe(status.UNAUTHENTICATED);
  expect(await code({ 'x-api-key': key, authorization: 'Bearer svc_wrong' })).toBeUndefined();
  expect(await code({})).toBe(status.UNAUTHENTICATED);
});

test('hostile messages are refused clearly, and the next call is answered', async () => {
  const { input, parent, name } = OPERATIONS.createMemory.rpc;
  const path = pathOf(parent.typeName, name);
  const memory = (metadata: JsonObject) => toBinary(input, create(input, { contentType: 'text/plain', metadata }));
  const nested = (depth: number) => {
    let metadata: JsonObject = {};
    for (let level = 1; level < depth; level += 1) metadata = { a: metadata };
    return metadata;
  };
  const detailsOf = ({ error }: Reply) => decodeURIComponent(String(error?.metadata.get('x-error-details')[0]));
  expect(detailsOf(await call(path, memory(nested(101))))).toMatch(
    /metadata(\.a)+: must not be nested deeper than 100 levels/,
  );
  expect((await call(path, memory(nested(300)))).error).toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: 'The request is nested deeper than 256 messages',
  });
  expect(detailsOf(await call(path, memory({ a: [1, { b: 2 ** 1023 * 2 }] })))).toContain(
    'metadata.a[1].b: must be a finite number',
  );
  const worst = Object.fromEntries(Array.from({ length: 45 }, (_, index) => [`${'ü'.repeat(99)}${index}`, '\0']));
  const long = await call(path, memory(worst));
  expect(long.error).toMatchObject({ code: status.INVALID_ARGUMENT });
  expect(detailsOf(long)).toMatch(/…$/);
  expect(detailsOf(await call(path, memory({ ['\u{1f600}'.repeat(99)]: '\0' })))).toContain('NUL');
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x-${index}`, 'y']));
  const refused = await call(LIST_SPACES, Buffer.alloc(0), { 'x-api-key': running.rootKey, ...many });
  expect(refused.error).toBeDefined();
  expect((await call(LIST_SPACES, Buffer.alloc(0))).error).toBeUndefined();
});

test('a deadline that has passed is DEADLINE_EXCEEDED', async () => {
  const { error } = await call(LIST_SPACES, Buffer.alloc(0), undefined, new Date(Date.now() - 1000));
  expect(error?.code).toBe(status.DEADLINE_EXCEEDED);
  expect((await call(LIST_SPACES, Buffer.alloc(0))).error).toBeUndefined();
});

test('a message over the limit is RESOURCE_EXHAUSTED, and other calls go on', async () => {
  const { input, parent, name } = OPERATIONS.createSpace.rpc;
  const big = toBinary(input, create(input, { name: 'x'.repeat(2 * 1024 * 1024) }));
  const { error } = await call(pathOf(parent.typeName, name), big);
  expect(error?.code).toBe(status.RESOURCE_EXHAUSTED);
  const fits = toBinary(input, create(input, { name: 'x'.repeat(1024 * 1024 - 200) }));
  expect((await call(pathOf(parent.typeName, name), fits)).error?.code).toBe(status.INVALID_ARGUMENT);
});

test('an unknown method or service is UNIMPLEMENTED', async () => {
  for (const path of ['/service.v1.SpaceService/Nothing', '/nobody.v1.Nothing/Do']) {
    expect((await call(path, Buffer.alloc(0))).error?.code).toBe(status.UNIMPLEMENTED);
  }
});

test('a canceled call logs no error', async () => {
  for (let round = 0; round < 10; round += 1) {
    const request = connected().makeUnaryRequest(
      LIST_SPACES,
      (value: Buffer) => value,
      (value: Buffer) => value,
      Buffer.alloc(0),
      metadata({ 'x-api-key': running.rootKey }),
      () => {},
    );
    request.cancel();
  }
  expect((await call(LIST_SPACES, Buffer.alloc(0))).error).toBeUndefined();
  const complaints = running.server.logs.filter((entry) => /"level":"(error|fatal)"/.test(JSON.stringify(entry)));
  expect(complaints).toEqual([]);
});
