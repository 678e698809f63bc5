import { once } from 'node:events';
import { connect } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MemorySchema } from '../../../../../src/shared/gen/service/v1/memory_pb.ts';
import { HANDLERS, SPACE_ID, startWires, type Wires } from '../transport.fixture.ts';

let wires: Wires;

beforeAll(async () => {
  wires = await startWires({}, { bodyPeriodMs: 200 });
  const read = async (files: AsyncIterable<{ data: AsyncIterable<Uint8Array> }> | undefined) => {
    let length = 0;
    for await (const { data } of files ?? []) for await (const piece of data) length += piece.length;
    return length;
  };
  wires.open({
    handlers: {
      ...HANDLERS,
      async *retrieveMemory() {
        await new Promise((resolve) => setTimeout(resolve, 450));
      },
      async createMemory({ contentType }, { files }) {
        if (contentType === 'text/held') await new Promise((resolve) => setTimeout(resolve, 450));
        return create(MemorySchema, { memoryId: SPACE_ID, originalContentLength: BigInt(await read(files)) });
      },
    },
  });
});
afterAll(async () => {
  await wires?.close();
});

/** Sends the beginning of a request and whatever follows, and reads to the end of the connection. */
async function conversation(head: readonly string[], pieces: readonly (string | Buffer)[], pauseMs = 0) {
  const { hostname, port } = new URL(wires.rest);
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  socket.on('data', (piece) => received.push(piece));
  const closed = once(socket, 'close');
  socket.write(`${[...head, 'host: x', 'x-api-key: key-a'].join('\r\n')}\r\n\r\n`);
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  await closed;
  return Buffer.concat(received).toString('utf8');
}

const multipart = 'content-type: multipart/form-data; boundary=b';
const describing = (contentType: string) =>
  `--b\r\ncontent-disposition: form-data; name="request"\r\n\r\n{"spaceId":"${SPACE_ID}","contentType":"${contentType}"}\r\n`;
const file = '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n';

test.each([
  ['JSON', ['POST /v1/memories:retrieve HTTP/1.1', 'content-type: application/json', 'content-length: 1000'], ['{"me']],
  [
    'multipart',
    ['POST /v1/memories HTTP/1.1', multipart, 'content-length: 100000'],
    [describing('text/plain'), file, 'abc'],
  ],
  [
    'a large one',
    ['POST /v1/memories:retrieve HTTP/1.1', 'content-type: application/json', 'content-length: 1000000'],
    ['{"me'],
  ],
  ['chunks', ['POST /v1/memories HTTP/1.1', multipart, 'transfer-encoding: chunked'], []],
])('a stalled request body times out and its connection closes: %s', async (_name, head, pieces) => {
  const answer = await conversation(head, pieces);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer.toLowerCase()).toContain('connection: close');
  expect(answer).toContain('"message":"The request body timed out"');
  expect(answer).toContain('"details":"less than 65536 bytes in 0.2 s"');
  await expect.poll(() => wires.calls.bodies.held).toBe(0);
});

test('a progressing body may take many periods', async () => {
  const piece = Buffer.alloc(256 * 1024, 'x');
  const head = ['POST /v1/memories HTTP/1.1', multipart, 'connection: close'];
  const pieces = [describing('text/plain'), file, ...Array.from({ length: 12 }, () => piece), '\r\n--b--\r\n'];
  const length = pieces.reduce((sum, { length }) => sum + length, 0);
  const answer = await conversation([...head, `content-length: ${length}`], pieces, 60);
  expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  expect(answer).toContain(`"originalContentLength":${12 * piece.length}`);
});

test('a body with reserved memory has to arrive sooner', async () => {
  const head = ['POST /v1/memories:retrieve HTTP/1.1', 'content-type: application/json', 'content-length: 1500000'];
  const answer = await conversation(head, Array(16).fill(Buffer.alloc(100_000, '[')), 100);
  expect(answer).toContain('"message":"The request body timed out"');
  expect(answer).toContain('"details":"less than 295631 bytes in 0.2 s"');
});

test('a body that the server does not read causes no timeout', async () => {
  const content = Buffer.alloc(3_000_000, 'x');
  const pieces = [describing('text/held'), file, content, '\r\n--b--\r\n'];
  const length = pieces.reduce((sum, { length }) => sum + length, 0);
  const head = ['POST /v1/memories HTTP/1.1', multipart, 'connection: close', `content-length: ${length}`];
  const answer = await conversation(head, pieces);
  expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  expect(answer).toContain(`"originalContentLength":${content.length}`);
});

test('a call that outlasts its body causes no timeout', async () => {
  const answer = await fetch(`${wires.rest}/v1/memories:retrieve`, {
    method: 'POST',
    headers: { 'x-api-key': 'key-a', 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'slow', spaceKeys: [{ spaceId: SPACE_ID }] }),
  });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('');
});
