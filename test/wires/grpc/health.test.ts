import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type ServiceError as GrpcError, status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import {
  Health,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../../src/shared/gen/grpc/health/v1/health_pb.ts';
import { useServer } from '../../support/server.fixture.ts';
import { pathOf, servicesOf, useRawGrpc } from './raw-grpc.fixture.ts';

const running = useServer();
const { connected, call, serverStream } = useRawGrpc(running);

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

/** The first status that a watch reports; the watch is left then. */
function watchFirst(service: string): Promise<Serving> {
  const { watch } = Health.method;
  return new Promise((resolve, reject) => {
    const stream = connected().makeServerStreamRequest(
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
