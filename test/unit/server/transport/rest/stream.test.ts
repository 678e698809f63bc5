import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { gzipInto, passedOn } from '../../../../../src/server/transport/rest/compression.ts';
import {
  type RetrieveMemoryEvent,
  RetrieveMemoryEventSchema,
} from '../../../../../src/shared/gen/service/v1/memory_pb.ts';
import { HANDLERS, SPACE_ID, startWires, type Wires } from '../transport.fixture.ts';

let wires: Wires;
/** The events of the next call. */
let source: () => AsyncGenerator<RetrieveMemoryEvent>;

beforeAll(async () => {
  wires = await startWires();
  wires.open({ handlers: { ...HANDLERS, retrieveMemory: () => source() } });
});
afterAll(async () => await wires?.close());

const event = (text: string) =>
  create(RetrieveMemoryEventSchema, { event: { case: 'abstractReply', value: { text } } });

function request(accept = 'application/x-ndjson'): string {
  const lines = [
    `GET /v1/memories:retrieve?message=m&spaceIds=${SPACE_ID} HTTP/1.1`,
    'host: x',
    'x-api-key: key-a',
    `accept: ${accept}`,
    'connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function open(accept?: string): Socket {
  const { hostname, port } = new URL(wires.rest);
  const socket = connect(Number(port), hostname, () => socket.write(request(accept)));
  return socket;
}

async function allOf(socket: Socket): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

/** The chunks of a body as it was written; the last one of a body that came to its end is empty. */
function chunksOf(answer: string): string[] {
  let rest = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  const chunks: string[] = [];
  while (rest !== '') {
    const head = rest.indexOf('\r\n');
    const length = Number.parseInt(rest.slice(0, head), 16);
    chunks.push(rest.slice(head + 2, head + 2 + length));
    rest = rest.slice(head + 2 + length + 2);
  }
  return chunks;
}

const textsOf = (lines: string) =>
  [...lines.matchAll(/\{"abstractReply".*\}/g)].map(([line]) => JSON.parse(line).abstractReply.text as string);

test.each(['application/x-ndjson', 'text/event-stream'])(
  'events that are ready together are one write: %s',
  async (accept) => {
    source = async function* () {
      for (let n = 0; n < 10; n += 1) yield event(`event ${n}`);
    };
    const [first = '', ...others] = chunksOf(await allOf(open(accept)));
    expect(textsOf(first)).toEqual(Array.from({ length: 10 }, (_, n) => `event ${n}`));
    expect(first.endsWith('data: {"type":"completed"}\n\n')).toBe(accept === 'text/event-stream');
    expect(others).toEqual(['']);
  },
);

test('an event does not wait for the next one', async () => {
  let go = () => {};
  const seen = new Promise<void>((resolve) => {
    go = resolve;
  });
  source = async function* () {
    yield event('one');
    await seen;
    yield event('two');
  };
  const socket = open();
  let answer = '';
  for await (const piece of socket) {
    answer += String(piece);
    if (answer.includes('one')) go();
  }
  expect(chunksOf(answer).map(textsOf)).toEqual([['one'], ['two'], []]);
});

test('an idle SSE stream sends a comment every 15 seconds, an idle NDJSON stream nothing', async () => {
  for (const accept of ['text/event-stream', 'application/x-ndjson']) {
    const waiting: (() => void)[] = [];
    const next = () => new Promise<void>((resolve) => waiting.push(resolve));
    source = async function* () {
      for (const text of ['one', 'two', 'three']) {
        yield event(text);
        await next();
      }
    };
    let answer = '';
    const comments = () => answer.match(/^:.*\n$/gm)?.length ?? 0;
    // What waits in Vitest would let the clock of the server go on.
    const until = async (holds: () => boolean) => {
      while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const socket = open(accept).on('data', (piece) => {
        answer += String(piece);
      });
      const ended = once(socket, 'end');
      await until(() => waiting.length === 1 && answer.includes('one'));
      vi.advanceTimersByTime(14_999);
      waiting.pop()?.();
      // Bytes come in their order: what was written before this event is here when it is.
      await until(() => waiting.length === 1 && answer.includes('two'));
      expect(comments()).toBe(0);
      for (const count of [1, 2]) {
        vi.advanceTimersByTime(15_000);
        await until(() => comments() === count || accept === 'application/x-ndjson');
      }
      waiting.pop()?.();
      await until(() => waiting.length === 1);
      waiting.pop()?.();
      await ended;
    } finally {
      vi.useRealTimers();
    }
    expect(comments()).toBe(accept === 'text/event-stream' ? 2 : 0);
    expect(textsOf(chunksOf(answer).join(''))).toEqual(['one', 'two', 'three']);
  }
});

test('a client that does not read causes back-pressure', async () => {
  let made = 0;
  source = async function* () {
    for (; made < 2000; made += 1) yield event('x'.repeat(10_000));
  };
  const socket = open();
  socket.pause();
  let before = -1;
  while (made > before) {
    before = made;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(2000);
  expect(textsOf(chunksOf(await allOf(socket)).join(''))).toHaveLength(2000);
});

test('a stream that fails has sent the events before, and has no end', async () => {
  source = async function* () {
    yield event('one');
    yield event('two');
    throw new Error('on purpose');
  };
  const chunks = chunksOf(await allOf(open()));
  expect(chunks.map(textsOf)).toEqual([['one', 'two']]);
});

test('a client abort ends the events', async () => {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  source = async function* () {
    try {
      for (;;) {
        yield event('more');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    } finally {
      end();
    }
  };
  const socket = open();
  await once(socket, 'data');
  socket.destroy();
  await ended;
});

test('a blocked compressor is not waited for after a client abort', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.pause().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [, response] = await once(server, 'request');
  const compressor = gzipInto(response);
  // Random bytes stay as long as they are, and more than the system keeps between two sockets.
  for (let n = 0; n < 64; n += 1) compressor.write(randomBytes(1_000_000));
  const waiting = passedOn(compressor);
  await vi.waitUntil(() => compressor.readableLength >= compressor.readableHighWaterMark, { timeout: 20_000 });
  client.destroy();
  await waiting;
  server.close();
});
