import { once } from 'node:events';
import { connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { BodyBudget } from '../../../../../src/server/transport/body-budget.ts';
import { MessageReader } from '../../../../../src/server/transport/grpc/message-reader.ts';
import { factsOf } from '../../../../../src/shared/error-details.ts';
import { StatusSchema } from '../../../../../src/shared/gen/google/rpc/status_pb.ts';
import { MemorySchema } from '../../../../../src/shared/gen/service/v1/memory_pb.ts';
import { OPERATIONS } from '../../../../../src/shared/operations/table.ts';
import { framed, RawGrpc } from '../../../../support/raw-grpc.ts';
import { HANDLERS, SPACE_ID, startWires, type Wires } from '../transport.fixture.ts';

const CREATE = '/service.v1.MemoryService/CreateMemory';
const KEY = { 'x-api-key': 'key-a' };
const OTHER_KEY = { 'x-api-key': 'key-b' };
const { input } = OPERATIONS.createMemory.rpc;

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** Both wires, with a handler that says how much content it was given. */
async function wires(...options: Parameters<typeof startWires>): Promise<Wires & { raw: RawGrpc }> {
  const started = await startWires(...options);
  open.push(started);
  started.open({
    handlers: {
      ...HANDLERS,
      createMemory: async ({ originalContent }) =>
        create(MemorySchema, { memoryId: SPACE_ID, originalContentLength: BigInt(originalContent?.length ?? 0) }),
    },
  });
  return Object.assign(started, { raw: client(started) });
}

function client({ grpc }: Wires): RawGrpc {
  const raw = new RawGrpc(`http://${grpc}`);
  open.push(raw);
  return raw;
}

const memory = (bytes: number) =>
  toBinary(
    input,
    create(input, { spaceId: SPACE_ID, contentType: 'text/plain', originalContent: Buffer.alloc(bytes) }),
  );

const codeOf = ({ headers }: { headers: Record<string, unknown> }) => [
  headers['x-error-code'],
  decodeURIComponent(String(headers['x-error-details'] ?? '')),
];

test('messages are the same for any split of their bytes', async () => {
  const message = fc.record({ content: fc.uint8Array({ maxLength: 300 }), isPacked: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 5 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
      async (messages, cuts) => {
        const bytes = Buffer.concat(
          messages.map(({ content, isPacked }) => framed(isPacked ? gzipSync(content) : content, { isPacked })),
        );
        const budget = new BodyBudget(1_000_000);
        const share = budget.open();
        const reader = new MessageReader(1000, share);
        const read: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; ) {
          const end = at + (cuts.next().value as number);
          for (const whole of reader.write(bytes.subarray(at, end))) read.push(await reader.content(whole, 'gzip'));
          at = end;
        }
        expect(read.map((content) => [...content])).toEqual(messages.map(({ content }) => [...content]));
        expect(reader.isAmid).toBe(false);
        share.release();
        expect(budget.held).toBe(0);
      },
    ),
    { numRuns: 50 },
  );
});

test('compressed messages of either encoding are read, mixed with uncompressed ones', async () => {
  const { raw } = await wires();
  const content = memory(100_000);
  for (const [encoding, packed] of [
    ['gzip', gzipSync(content)],
    ['deflate', deflateSync(content)],
  ] as const) {
    const headers = { ...KEY, 'grpc-encoding': encoding };
    expect(await raw.call(CREATE, [framed(packed, { isPacked: true })], headers)).toMatchObject({ status: 0 });
    expect(await raw.call(CREATE, [framed(content)], headers)).toMatchObject({ status: 0 });
    const broken = await raw.call(CREATE, [framed(packed.subarray(0, 50), { isPacked: true })], headers);
    expect(broken).toMatchObject({ status: 3, message: `The message cannot be decompressed as ${encoding}` });
    expect(codeOf(broken)).toEqual(['INVALID_ARGUMENT', '']);
  }
  const other = await raw.call(CREATE, [framed(content, { isPacked: true })], { ...KEY, 'grpc-encoding': 'br' });
  expect(other).toMatchObject({ status: 12 });
  expect(codeOf(other)).toEqual(['UNIMPLEMENTED', 'use the grpc-encoding identity, gzip or deflate']);
});

test('every refusal of a message has code, details and trailing metadata', async () => {
  const { raw } = await wires();
  const headers = { ...KEY, 'x-request-id': 'mine', 'grpc-encoding': 'gzip' };
  const bomb = framed(gzipSync(Buffer.alloc(5_000_000)), { isPacked: true });
  const half = framed(Buffer.alloc(10), { length: 4_000_001 });
  for (const bytes of [bomb, half]) {
    const answer = await raw.call(CREATE, [bytes], headers);
    expect(answer).toMatchObject({ status: 8, message: 'The message is larger than the server accepts' });
    expect(codeOf(answer)).toEqual(['PAYLOAD_TOO_LARGE', 'at most 4000000 bytes after decompression']);
    expect(answer.headers).toMatchObject({ 'x-request-id': 'mine', 'x-service-version': 'test' });
  }
  const none = await raw.call(CREATE, [], headers);
  expect(none.status).toBe(12);
  expect(none.headers).toMatchObject({ 'x-request-id': 'mine', 'x-error-code': 'UNIMPLEMENTED' });
  const details = Buffer.from(String(none.headers['grpc-status-details-bin']), 'base64');
  expect(factsOf(fromBinary(StatusSchema, details)).code).toBe('UNIMPLEMENTED');
});

test('the key is checked before any byte of the message', async () => {
  const { raw, calls } = await wires();
  const endless = framed(Buffer.alloc(0), { length: 3_000_000 });
  for (const headers of [{}, { 'x-api-key': 'wrong' }]) {
    const answer = await raw.call(CREATE, [endless], headers);
    expect(answer.status).toBe(16);
    expect(codeOf(answer)[0]).toBe('UNAUTHENTICATED');
  }
  expect(calls.bodies.held).toBe(0);
});

test('an unknown method does not wait for the body', async () => {
  const { rest } = await wires();
  const { hostname, port } = new URL(rest);
  for (const path of ['/nowhere', '/v1/nowhere', '/health']) {
    const socket = connectTcp(Number(port), hostname);
    open.push({ close: () => socket.destroy() });
    const head = [
      'POST',
      path,
      'HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n{',
    ];
    socket.write(head.join(' '));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 /);
  }
});

test.each([
  '/grpc.health.v1.Health/Check',
  '/service.v1.SystemService/GetSystemInfo',
  '/service.v1.SystemService/InitializeSystem',
])('without a key large messages are refused: %s', async (path) => {
  const { raw } = await wires();
  for (const bytes of [framed(Buffer.alloc(70_000)), framed(gzipSync(Buffer.alloc(70_000)), { isPacked: true })]) {
    const answer = await raw.call(path, [bytes], { 'grpc-encoding': 'gzip' });
    expect(answer.status).toBe(8);
    expect(codeOf(answer)).toEqual(['PAYLOAD_TOO_LARGE', 'at most 65536 bytes after decompression']);
    expect(answer.headers['x-request-id']).toBeDefined();
  }
});

/** A call that sends the beginning of a message and holds on to it. */
function beginning(
  { grpc }: Wires,
  length: number,
  headers: Record<string, string> = {},
): { ended: Promise<Record<string, unknown>>; more(bytes: number): void; cancel(): void } {
  const session = connect(`http://${grpc}`);
  const stream = session.request({
    ':method': 'POST',
    ':path': CREATE,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...KEY,
    ...headers,
  });
  stream.write(framed(Buffer.alloc(10), { length }));
  stream.resume();
  const ended = new Promise<Record<string, unknown>>((resolve) => stream.once('trailers', resolve));
  open.push({ close: () => session.destroy() });
  return { ended, more: (bytes) => stream.write(Buffer.alloc(bytes)), cancel: () => stream.close() };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const postMemory = (rest: string, bytes: number, key: Record<string, string>) =>
  fetch(`${rest}/v1/memories`, {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json' },
    body: JSON.stringify({ spaceId: SPACE_ID, contentType: 'text/plain', originalContent: 'x'.repeat(bytes) }),
  });

test('large messages and bodies share one budget, and small ones need none', async () => {
  const both = await wires({ bodies: new BodyBudget(1_150_000) });
  const { raw, calls, rest } = both;
  const post = (bytes: number) => postMemory(rest, bytes, OTHER_KEY);
  const held = beginning(both, 900_000);
  await until(() => calls.bodies.held > 800_000);
  const refused = await raw.call(CREATE, [framed(memory(400_000))], OTHER_KEY);
  expect(refused).toMatchObject({
    status: 14,
    message: 'The server is busy with other large requests; send this one again',
  });
  expect(codeOf(refused)).toEqual(['UNAVAILABLE', 'at most 1150000 bytes for all requests together']);
  expect(refused.headers['retry-after']).toBe('1');
  const answer = await post(200_000);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  expect((await raw.call(CREATE, [framed(memory(30_000))], KEY)).status).toBe(0);
  expect((await post(20_000)).status).toBe(201);
  held.cancel();
  await until(() => calls.bodies.held === 0);
  expect((await raw.call(CREATE, [framed(memory(900_000))], KEY)).status).toBe(0);
  expect((await post(200_000)).status).toBe(201);
  expect((await post(400_000)).status).toBe(413);
  const never = await raw.call(CREATE, [framed(memory(2_000_000))], KEY);
  expect(codeOf(never)[0]).toBe('PAYLOAD_TOO_LARGE');
  const unpacked = await raw.call(CREATE, [framed(gzipSync(memory(2_000_000)), { isPacked: true })], {
    ...KEY,
    'grpc-encoding': 'gzip',
  });
  expect(codeOf(unpacked)[0]).toBe('PAYLOAD_TOO_LARGE');
  await until(() => calls.bodies.held === 0);
});

test('messages of one user, under any key, leave budget for other users', async () => {
  const both = await wires({ bodies: new BodyBudget(4_000_000) });
  const { raw, calls, rest } = both;
  const slow = [beginning(both, 900_000), beginning(both, 900_000, { 'x-api-key': 'key-a/2' })];
  await until(() => calls.bodies.held > 1_600_000);
  for (const key of ['key-a', 'key-a/3']) {
    const refused = await raw.call(CREATE, [framed(memory(900_000))], { 'x-api-key': key });
    expect(refused).toMatchObject({
      status: 8,
      message: 'Your other large requests leave no room for this one; send it again when one of them has ended',
    });
    expect(codeOf(refused)).toEqual([
      'RESOURCE_EXHAUSTED',
      'at most 2000000 bytes for all requests of one user at the moment',
    ]);
    expect(refused.headers['retry-after']).toBe('1');
    const answer = await postMemory(rest, 200_000, { 'x-api-key': key });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
    expect(((await answer.json()) as { error: { code: string } }).error.code).toBe('RESOURCE_EXHAUSTED');
    expect((await postMemory(rest, 20_000, { 'x-api-key': key })).status).toBe(201);
  }
  expect((await raw.call(CREATE, [framed(memory(900_000))], OTHER_KEY)).status).toBe(0);
  expect((await postMemory(rest, 300_000, OTHER_KEY)).status).toBe(201);
  // One that is alone may be larger than half.
  expect((await raw.call(CREATE, [framed(memory(2_200_000))], OTHER_KEY)).status).toBe(0);
  for (const one of slow) one.cancel();
  await until(() => calls.bodies.held === 0);
  expect((await postMemory(rest, 200_000, KEY)).status).toBe(201);
});

test('a single request leaves budget for other users, however small the budget', async () => {
  const both = await wires({ bodies: new BodyBudget(1_000_000) });
  const { raw, calls } = both;
  const large = await raw.call(CREATE, [framed(memory(900_000))], KEY);
  expect(large).toMatchObject({
    status: 8,
    message: 'The request needs more memory than the server gives to one request',
  });
  expect(codeOf(large)).toEqual([
    'PAYLOAD_TOO_LARGE',
    "at most 750000 bytes, three quarters of the server's setting --request-memory-mb",
  ]);
  const held = beginning(both, 800_000);
  await until(() => calls.bodies.held > 700_000);
  expect((await raw.call(CREATE, [framed(memory(300_000))], OTHER_KEY)).status).toBe(0);
  held.cancel();
});

test('a user may take half of the budget that others leave', async () => {
  const budget = new BodyBudget(1_000_000);
  const FREE = 64 * 1024;
  const share = (caller: string, bytes: number) => {
    const one = budget.open();
    one.belongTo(caller);
    one.hold(bytes + FREE);
    return one;
  };
  share('a', 200_000);
  share('a', 300_000);
  expect(() => share('a', 1)).toThrow(/leave no room/);
  const b = share('b', 100_000);
  share('b', 150_000);
  expect(() => share('b', 1)).toThrow(/leave no room/);
  // What a holds is more now than what it could take.
  expect(() => share('a', 1)).toThrow(/leave no room/);
  share('c', 125_000);
  expect(() => share('d', 126_000)).toThrow(/busy/);
  b.release();
  expect(budget.held).toBe(775_000);
  share('b', 10_000);
  expect(() => share('a', 1)).toThrow(/leave no room/);
});

test('a deadline that passes before the message is complete', async () => {
  const { ended } = beginning(await wires(), 900_000, { 'grpc-timeout': '50m', 'x-request-id': 'mine' });
  expect(await ended).toMatchObject({
    'grpc-status': '4',
    'x-error-code': 'DEADLINE_EXCEEDED',
    'x-request-id': 'mine',
  });
});

test('a stalled message times out and releases its memory', async () => {
  const both = await wires({}, {}, { messagePeriodMs: 100 });
  const { ended } = beginning(both, 900_000);
  expect(await ended).toMatchObject({ 'grpc-status': '3', 'x-error-code': 'INVALID_REQUEST' });
  await until(() => both.calls.bodies.held === 0);
});

test('the required rate of a message grows with its reserved memory', async () => {
  const both = await wires({}, {}, { messagePeriodMs: 100 });
  const { ended, more } = beginning(both, 3_900_000);
  const trickle = setInterval(() => more(70_000), 50);
  open.push({ close: () => clearInterval(trickle) });
  const trailers = await ended;
  expect(trailers).toMatchObject({ 'grpc-status': '3', 'x-error-code': 'INVALID_REQUEST' });
  expect(decodeURIComponent(String(trailers['x-error-details']))).toBe('less than 260001 bytes in 0.1 s');
});
