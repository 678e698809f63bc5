import { create, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { type ServiceError as GrpcError, status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { Health } from '../../../src/shared/gen/grpc/health/v1/health_pb.ts';
import {
  ServerReflection,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from '../../../src/shared/gen/grpc/reflection/v1/reflection_pb.ts';
import type { RestRoute } from '../../../src/shared/operations/operation.ts';
import { OPERATIONS } from '../../../src/shared/operations/table.ts';
import { useServer } from '../../support/server.fixture.ts';
import { LIST_SPACES, pathOf, servicesOf, useRawGrpc } from './raw-grpc.fixture.ts';

const running = useServer();
const { connected, call } = useRawGrpc(running);

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

type ReflectionQuestion = { case: 'listServices' | 'fileContainingSymbol' | 'fileByFilename'; value: string };

function reflect(questions: readonly ReflectionQuestion[], garbage?: Buffer) {
  return new Promise<{ responses: ServerReflectionResponse[]; error: GrpcError | undefined }>((resolve) => {
    const responses: ServerReflectionResponse[] = [];
    const stream = connected().makeBidiStreamRequest(
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
