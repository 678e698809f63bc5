import { create, fromBinary, type JsonObject, type Message, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials, type ServiceError as GrpcError, Metadata, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { factsOf } from '../../../src/shared/error-details.ts';
import {
  Health,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../../src/shared/gen/grpc/health/v1/health_pb.ts';
import {
  ServerReflection,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from '../../../src/shared/gen/grpc/reflection/v1/reflection_pb.ts';
import { BatchMemoryResponseSchema, MemoryService } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { SpaceService } from '../../../src/shared/gen/service/v1/space_pb.ts';
import { UserService } from '../../../src/shared/gen/service/v1/user_pb.ts';
import type { RestRoute } from '../../../src/shared/operations/operation.ts';
import { OPERATIONS } from '../../../src/shared/operations/table.ts';
import { statusDetailsOf } from '../../support/grpc-wire.ts';
import { useOwnServer } from '../../support/server.fixture.ts';

const running = useOwnServer(['--grpc-max-message-size-mb', '1']);
let client: Client;
beforeAll(() => {
  client = new Client(running.server.grpc.replace('http://', ''), credentials.createInsecure());
});
afterAll(() => client.close());

interface Reply {
  bytes: Uint8Array | undefined;
  error: GrpcError | undefined;
  headers: Metadata | undefined;
}

function metadata(entries: Readonly<Record<string, string>> = {}): Metadata {
  const result = new Metadata();
  for (const [name, value] of Object.entries(entries)) result.set(name, value);
  return result;
}

/** A unary call of raw bytes; as root unless other metadata is given. */
function call(path: string, bytes: Uint8Array, entries?: Record<string, string>, deadline?: Date): Promise<Reply> {
  const sent = metadata(entries ?? { 'x-api-key': running.rootKey });
  return new Promise((resolve) => {
    let headers: Metadata | undefined;
    const request = client.makeUnaryRequest(
      path,
      (value: Uint8Array) => Buffer.from(value),
      (value: Buffer) => new Uint8Array(value),
      bytes,
      sent,
      deadline === undefined ? {} : { deadline },
      (error, response) => resolve({ bytes: response, error: error ?? undefined, headers }),
    );
    request.on('metadata', (received) => (headers = received));
  });
}

/** The error of a call that must fail. */
async function failureOf(reply: Promise<Reply>): Promise<GrpcError> {
  const { error } = await reply;
  if (error === undefined) throw new Error('The call did not fail');
  return error;
}

const pathOf = (service: string, method: string) => `/${service}/${method}`;
const GET_USER = pathOf(UserService.typeName, 'GetUser');
const LIST_SPACES = pathOf(SpaceService.typeName, 'ListSpaces');

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

test('health: check, list and watch need no key', async () => {
  const { check, list } = Health.method;
  const ask = async (service: string) => {
    const bytes = toBinary(check.input, create(check.input, { service }));
    const reply = await call(pathOf(Health.typeName, check.name), bytes, {});
    return reply.error?.code ?? fromBinary(check.output, reply.bytes ?? new Uint8Array()).status;
  };
  const names = ['', 'readiness', 'liveness', 'startup', ...new Set(servicesOf())];
  for (const name of names) expect(await ask(name)).toBe(Serving.SERVING);
  expect(await ask('nobody')).toBe(status.NOT_FOUND);
  const listed = await call(pathOf(Health.typeName, list.name), new Uint8Array(), {});
  const { statuses } = fromBinary(list.output, listed.bytes ?? new Uint8Array());
  expect(Object.keys(statuses).sort()).toEqual([...names].sort());
  expect(await watchFirst('readiness')).toBe(Serving.SERVING);
  expect(await watchFirst('nobody')).toBe(Serving.SERVICE_UNKNOWN);
});

test.each([
  ['Check', Buffer.from([0xff, 0xff])],
  ['Watch', Buffer.from([0xff, 0xff])],
])('malformed bytes for health %s are INVALID_ARGUMENT', async (method, bytes) => {
  const path = pathOf(Health.typeName, method);
  const { error } = method === 'Check' ? await call(path, bytes, {}) : await serverStream(path, bytes);
  expect(error?.code).toBe(status.INVALID_ARGUMENT);
});

test('reflection lists the services and serves complete descriptors', async () => {
  const { responses } = await reflect([
    { case: 'listServices', value: '' },
    { case: 'fileContainingSymbol', value: 'service.v1.MemoryService' },
    { case: 'fileContainingSymbol', value: 'service.v1.RetrieveMemoryEvent' },
    { case: 'fileByFilename', value: 'service/v1/space.proto' },
    { case: 'fileContainingSymbol', value: 'service.v1.Nothing' },
  ]);
  const [services, memory, event, file, missing] = responses.map((response) => response.messageResponse);
  if (services?.case !== 'listServicesResponse') throw new Error('no list of services');
  const names = services.value.service.map((service) => service.name);
  expect(names.sort()).toEqual([...new Set(servicesOf()), Health.typeName, ServerReflection.typeName].sort());
  for (const answer of [memory, event, file]) {
    if (answer?.case !== 'fileDescriptorResponse') throw new Error('no descriptors');
    const files = answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
    const known = new Set(files.map((entry) => entry.name));
    for (const entry of files) for (const dependency of entry.dependency) expect(known).toContain(dependency);
  }
  expect(missing).toMatchObject({ case: 'errorResponse', value: { errorCode: status.NOT_FOUND } });
});

test('the RPCs of the services are the operations that REST has, with streams where it has them', async () => {
  const services = [...new Set(servicesOf())];
  const { responses } = await reflect(services.map((value) => ({ case: 'fileContainingSymbol', value }) as const));
  const described = responses.flatMap(({ messageResponse: answer }) => {
    if (answer.case !== 'fileDescriptorResponse') throw new Error('no descriptors');
    return answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  });
  const rpcs = described.flatMap((file) =>
    file.package === 'service.v1'
      ? file.service.flatMap(({ name, method }) =>
          method.map((rpc) => `${name}/${rpc.name} ${rpc.serverStreaming ? 'stream' : 'unary'}`),
        )
      : [],
  );
  const operations = Object.values(OPERATIONS).map(({ rpc, rest }) => {
    const isStream = (rest as readonly RestRoute[]).some(({ response }) =>
      ['events', 'content', 'text'].includes(response),
    );
    return `${rpc.parent.name}/${rpc.name} ${isStream ? 'stream' : 'unary'}`;
  });
  expect([...new Set(rpcs)].sort()).toEqual(operations.sort());
});

test('malformed bytes for reflection end that call alone', async () => {
  const { error } = await reflect([], Buffer.from([0xff, 0xff]));
  expect(error?.code).toBe(status.INVALID_ARGUMENT);
  expect((await call(LIST_SPACES, Buffer.alloc(0))).error).toBeUndefined();
});

test('a canceled call logs no error', async () => {
  for (let round = 0; round < 10; round += 1) {
    const request = client.makeUnaryRequest(
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

function servicesOf(): string[] {
  return Object.values(OPERATIONS).map((operation) => operation.rpc.parent.typeName);
}

function serverStream(path: string, bytes: Buffer): Promise<{ messages: Buffer[]; error: GrpcError | undefined }> {
  return new Promise((resolve) => {
    const messages: Buffer[] = [];
    const stream = client.makeServerStreamRequest(
      path,
      (value: Buffer) => value,
      (value: Buffer) => value,
      bytes,
      metadata({ 'x-api-key': running.rootKey }),
    );
    stream.on('data', (message: Buffer) => messages.push(message));
    stream.on('error', (error: GrpcError) => resolve({ messages, error }));
    stream.on('end', () => resolve({ messages, error: undefined }));
  });
}

/** The first status that a watch reports; the watch is left then. */
function watchFirst(service: string): Promise<Serving> {
  const { watch } = Health.method;
  return new Promise((resolve, reject) => {
    const stream = client.makeServerStreamRequest(
      pathOf(Health.typeName, watch.name),
      (value: Uint8Array) => Buffer.from(value),
      (value: Buffer) => fromBinary(watch.output, value),
      toBinary(watch.input, create(watch.input, { service })),
    );
    stream.on('data', (message: { status: Serving }) => {
      resolve(message.status);
      stream.cancel();
    });
    stream.on('error', (error: GrpcError) => {
      if (error.code !== status.CANCELLED) reject(error);
    });
  });
}

type ReflectionQuestion = { case: 'listServices' | 'fileContainingSymbol' | 'fileByFilename'; value: string };

function reflect(questions: readonly ReflectionQuestion[], garbage?: Buffer) {
  return new Promise<{ responses: ServerReflectionResponse[]; error: GrpcError | undefined }>((resolve) => {
    const responses: ServerReflectionResponse[] = [];
    const stream = client.makeBidiStreamRequest(
      pathOf(ServerReflection.typeName, 'ServerReflectionInfo'),
      (value: Uint8Array) => Buffer.from(value),
      (value: Buffer): Message => fromBinary(ServerReflectionResponseSchema, value),
    );
    stream.on('data', (message: ServerReflectionResponse) => responses.push(message));
    stream.on('error', (error: GrpcError) => resolve({ responses, error }));
    stream.on('end', () => resolve({ responses, error: undefined }));
    for (const messageRequest of questions) {
      stream.write(toBinary(ServerReflectionRequestSchema, create(ServerReflectionRequestSchema, { messageRequest })));
    }
    if (garbage !== undefined) stream.write(garbage);
    stream.end();
  });
}
