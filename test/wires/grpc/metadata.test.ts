import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type ServiceError as GrpcError, status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { factsOf } from '../../../src/shared/error-details.ts';
import { BatchMemoryResponseSchema } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { OPERATIONS } from '../../../src/shared/operations/table.ts';
import { statusDetailsOf } from '../../support/grpc-wire.ts';
import { useServer } from '../../support/server.fixture.ts';
import { LIST_SPACES, pathOf, type Reply, useRawGrpc } from './raw-grpc.fixture.ts';

const running = useServer();
const { call } = useRawGrpc(running);

/** The error of a call that must fail. */
async function failureOf(reply: Promise<Reply>): Promise<GrpcError> {
  const { error } = await reply;
  if (error === undefined) throw new Error('The call did not fail');
  return error;
}

test('headers carry the request id and the version, errors their code and details', async () => {
  const { headers } = await call(LIST_SPACES, Buffer.alloc(0), {
    'x-api-key': running.rootKey,
    'x-request-id': 'mine',
  });
  expect(headers?.get('x-request-id')).toEqual(['mine']);
  expect(headers?.get('x-service-version')[0]).toMatch(/^\d+\.\d+\.\d+/);
  const made = await call(LIST_SPACES, Buffer.alloc(0));
  expect(made.headers?.get('x-request-id')[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  const { input, parent, name } = OPERATIONS.createUser.rpc;
  const bad = toBinary(input, create(input, { email: 'ü', displayName: '' }));
  const { error } = await call(pathOf(parent.typeName, name), bad);
  expect(error?.metadata.get('x-error-code')).toEqual(['INVALID_ARGUMENT']);
  const encoded = String(error?.metadata.get('x-error-details')[0]);
  expect(encoded).toMatch(/^[\x21-\x7e]+$/);
  expect(decodeURIComponent(encoded)).toMatch(/email: .+; display_name: /);
});

test('errors name fields as the messages do', async () => {
  const { input, parent, name } = OPERATIONS.createSpace.rpc;
  const request = create(input, {
    name: 'x',
    spaceEmbedders: [{ embedderId: 'no id' }],
    labels: { ownerId: 'x'.repeat(300) },
    retentionDays: -1,
  });
  const { error } = await call(pathOf(parent.typeName, name), toBinary(input, request));
  const details = decodeURIComponent(String(error?.metadata.get('x-error-details')[0]));
  expect(details).toMatch(/^space_embedders\[0\]\.embedder_id: not a UUID; labels\.ownerId: .+; retention_days: /);
});

test('the google.rpc details say the same as the rest of the metadata', async () => {
  const { input, parent, name } = OPERATIONS.createSpace.rpc;
  const request = create(input, { name: 'x', spaceEmbedders: [{ embedderId: 'no id' }], retentionDays: -1 });
  const bad = await failureOf(call(pathOf(parent.typeName, name), toBinary(input, request)));
  const { status: told, facts } = statusDetailsOf(bad);
  expect(told).toMatchObject({ code: status.INVALID_ARGUMENT, message: bad.details });
  expect(facts).toMatchObject({ code: 'INVALID_ARGUMENT', resource: undefined });
  expect(facts.violations?.[0]).toEqual({
    path: 'space_embedders[0].embedder_id',
    problem: 'not a UUID',
    reason: 'NOT_A_UUID',
  });
  const details = facts.violations?.map(({ path, problem }) => `${path}: ${problem}`).join('; ');
  expect(details).toBe(decodeURIComponent(String(bad.metadata.get('x-error-details')[0])));

  const get = OPERATIONS.getSpace.rpc;
  const spaceId = '01980000-0000-7000-8000-00000000dead';
  const missing = await failureOf(
    call(pathOf(get.parent.typeName, get.name), toBinary(get.input, create(get.input, { spaceId }))),
  );
  expect(statusDetailsOf(missing).facts).toMatchObject({ code: 'NOT_FOUND', resource: { kind: 'Space', id: spaceId } });
});

test('ALREADY_EXISTS names the kind of resource, also of an item of a batch', async () => {
  const user = OPERATIONS.createUser.rpc;
  const request = create(user.input, { email: 'twice@example.org', displayName: 'Twice' });
  const make = () => call(pathOf(user.parent.typeName, user.name), toBinary(user.input, request));
  expect((await make()).error).toBeUndefined();
  const taken = await failureOf(make());
  expect(taken.metadata.get('x-error-code')).toEqual(['ALREADY_EXISTS']);
  expect(statusDetailsOf(taken).facts).toMatchObject({ code: 'ALREADY_EXISTS', resource: { kind: 'User' } });

  const batch = OPERATIONS.batchGetMemory.rpc;
  const memoryId = '01980000-0000-7000-8000-00000000dead';
  const { bytes } = await call(
    pathOf(batch.parent.typeName, batch.name),
    toBinary(batch.input, create(batch.input, { memoryIds: [memoryId] })),
  );
  const { results } = fromBinary(BatchMemoryResponseSchema, bytes ?? Buffer.alloc(0));
  const [item] = results;
  expect(item?.error && factsOf(item.error)).toMatchObject({
    code: 'NOT_FOUND',
    resource: { kind: 'Memory', id: memoryId },
  });
});
