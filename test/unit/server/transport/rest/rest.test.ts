import { get } from 'node:http';
import { createGunzip, gunzipSync } from 'node:zlib';
import { create } from '@bufbuild/protobuf';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { contentDisposition } from '../../../../../src/server/transport/rest/content.ts';
import { ServiceError } from '../../../../../src/shared/errors.ts';
import { CreateApiKeyResponseSchema } from '../../../../../src/shared/gen/service/v1/api_key_pb.ts';
import {
  type RetrieveMemoryEvent,
  RetrieveMemoryEventSchema,
  type RetrieveMemoryRequest,
} from '../../../../../src/shared/gen/service/v1/memory_pb.ts';
import { ListSpacesResponseSchema, SpaceSchema } from '../../../../../src/shared/gen/service/v1/space_pb.ts';
import { HANDLERS, SPACE_ID, startWires, type Wires } from '../transport.fixture.ts';

const KEY = { 'x-api-key': 'key-a' };
const reply = (text: string) =>
  create(RetrieveMemoryEventSchema, { event: { case: 'abstractReply', value: { text } } });
const ordinary = async function* () {
  yield reply('one');
};

let wires: Wires;
let starting: Wires;
let source: (request: RetrieveMemoryRequest) => AsyncGenerator<RetrieveMemoryEvent> = ordinary;

beforeAll(async () => {
  starting = await startWires();
  wires = await startWires(
    {},
    { metrics: { secret: 'secret', contentType: 'text/plain', scrape: async () => 'm 1\n'.repeat(1000) } },
  );
  const spaces = Array.from({ length: 20 }, () => create(SpaceSchema, { spaceId: SPACE_ID, name: 'house' }));
  wires.open({
    handlers: {
      ...HANDLERS,
      listSpaces: async ({ maxResults }) =>
        create(ListSpacesResponseSchema, { spaces: maxResults === 1 ? spaces.slice(0, 1) : spaces }),
      createApiKey: async () =>
        create(CreateApiKeyResponseSchema, { rawApiKey: 'svc_key', apiKeyMetadata: { apiKeyId: SPACE_ID } }),
      initializeSystem: async () => {
        throw new ServiceError('UNAUTHENTICATED', 'The init token is missing or wrong');
      },
      retrieveMemory: (request) => source(request),
    },
    authenticate: async (key) => {
      if (key === 'key-away') throw new ServiceError('UNAVAILABLE', 'The database cannot be reached at the moment');
      const userId = key;
      return key.startsWith('key-')
        ? { userId, apiKeyId: key, role: 'ROOT', readOnly: false, spaceIds: undefined }
        : undefined;
    },
  });
});
afterEach(() => {
  source = ordinary;
});
afterAll(async () => {
  await starting?.close();
  await wires?.close();
});

const call = (target: string, init: RequestInit = {}, { rest }: Wires = wires) => {
  const [method = 'GET', path = '/'] = target.split(' ', 2);
  return fetch(`${rest}${path}`, { method, redirect: 'manual', ...init, headers: { ...KEY, ...init.headers } });
};
const RETRIEVE = `/v1/memories:retrieve?message=m&spaceIds=${SPACE_ID}`;

test.each(['/v1/spaces', '/v1/spaces?maxResults=x', RETRIEVE, '/livez', '/readyz', '/metrics', '/openapi.json'])(
  'HEAD %s is GET without the body',
  async (path) => {
    const [head, whole] = await Promise.all([call(`HEAD ${path}`), call(`GET ${path}`)]);
    expect(head.status).toBe(whole.status);
    expect(await head.text()).toBe('');
    expect(await whole.text()).not.toBe('');
    for (const name of ['content-type', 'content-length', 'content-encoding', 'etag', 'vary', 'cache-control'])
      expect(head.headers.get(name), name).toBe(whole.headers.get(name));
  },
);

test('/ leads to the console', async () => {
  for (const [path, status] of [['/', 302] as const, ['/console', 308] as const]) {
    const answer = await call(`GET ${path}`);
    expect([answer.status, answer.headers.get('location')]).toEqual([status, '/console/']);
  }
});

test('HEAD of a stream ends before the handler runs', async () => {
  let isClosed = false;
  source = async function* () {
    try {
      for (;;) yield reply('more');
    } finally {
      isClosed = true;
    }
  };
  const head = await call(`HEAD ${RETRIEVE}`);
  expect(head.status).toBe(200);
  expect(isClosed).toBe(true);
});

test.each([
  ['PUT /v1/spaces', 'POST, GET, HEAD'],
  ['OPTIONS /v1/spaces', 'POST, GET, HEAD'],
  ['GET /v1/system/init', 'POST'],
  [`POST /v1/spaces/${SPACE_ID}?x=1`, 'GET, HEAD, PUT, DELETE'],
  ['PATCH /v1/memories:retrieve', 'GET, HEAD, POST'],
  [`PUT /v1/memories/${SPACE_ID}:reprocess`, 'POST'],
  ['POST /livez', 'GET, HEAD'],
  ['DELETE /metrics', 'GET, HEAD'],
  ['POST /openapi.json', 'GET, HEAD'],
  ['POST /console/index.html', 'GET, HEAD'],
  ['GET /v1/nowhere', null],
  ['GET /v1xspaces', null],
])('%s: 404 allows %s', async (target, methods) => {
  const answer = await call(target);
  expect(answer.status).toBe(404);
  const sorted = (list: string | null | undefined) => list?.split(', ').sort();
  expect(sorted(answer.headers.get('allow'))).toEqual(sorted(methods));
  const { details } = ((await answer.json()) as { error: { details: string } }).error;
  expect(details).toBe(methods === null ? '' : `this path accepts ${answer.headers.get('allow')}`);
});

test('503 has Retry-After: while starting, draining and without the database', async () => {
  const early = await call('GET /v1/spaces', {}, starting);
  expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1']);
  const away = await call('GET /v1/spaces', { headers: { 'x-api-key': 'key-away' } });
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, '2']);
  const draining = await startWires();
  draining.open();
  draining.lifecycle.drain();
  const write = await call('POST /v1/apikeys', {}, draining);
  expect([write.status, write.headers.get('retry-after')]).toEqual([503, '2']);
  await draining.close();
});

test.each([
  ['GET /v1/spaces', 'Bearer realm="svc"'],
  ['POST /v1/system/init', 'X-Service-Init-Token realm="svc"'],
  ['GET /metrics', 'X-Service-Metrics-Key realm="metrics"'],
])('401 to %s names the accepted schemes: %s', async (target, challenge) => {
  const answer = await call(target, { headers: { 'x-api-key': 'wrong' } });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toBe(challenge);
});

test('a response with a key is no-store', async () => {
  const headers = { 'content-type': 'application/json' };
  const created = await call('POST /v1/apikeys', { body: '{}', headers });
  expect(created.status).toBe(201);
  expect(created.headers.get('cache-control')).toBe('no-store');
  expect((await call('GET /v1/spaces')).headers.get('cache-control')).toBeNull();
});

test.each(['gzip', 'br', 'deflate, gzip'])('a body with Content-Encoding: %s is 415', async (encoding) => {
  const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
  const answer = await call('POST /v1/apikeys', { body: 'x', headers });
  expect(answer.status).toBe(415);
  const { error } = (await answer.json()) as { error: object };
  expect(error).toEqual({
    code: 'INVALID_REQUEST',
    message: 'Compressed request bodies are not supported',
    details: `Content-Encoding: ${encoding}; send the body uncompressed`,
  });
  const plain = { ...headers, 'content-encoding': 'identity' };
  expect((await call('POST /v1/apikeys', { body: '{}', headers: plain })).status).toBe(201);
});

test('a retrieval by GET may have its documented length, and a longer one is refused with the limit', async () => {
  const seen: string[] = [];
  source = async function* ({ message, spaceKeys }) {
    seen.push(message, spaceKeys[0]?.filter ?? '');
    yield reply('one');
  };
  const longest = '\u{1f600}'.repeat(10_000);
  const query = (message: string) => `message=${message}&spaceIds=${SPACE_ID}&filter=${encodeURIComponent(longest)}`;
  const answer = await call(`GET /v1/memories:retrieve?${query(encodeURIComponent(longest))}`);
  expect(answer.status).toBe(200);
  expect(seen).toEqual([longest, longest]);
  const beyond = await call(`GET /v1/memories:retrieve?${query('x'.repeat(200_000))}`);
  expect(beyond.status).toBe(431);
  expect(beyond.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await beyond.json()).toEqual({
    error: {
      code: 'INVALID_REQUEST',
      message: 'The path, the query and the headers are too long',
      details: 'at most 272768 bytes together; send a long message or filter in the body of a POST request',
    },
  });
});

/** Without the decompression that `fetch` does by itself. */
async function rawGet(path: string, headers: Record<string, string>) {
  return await new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    get(`${wires.rest}${path}`, { headers: { ...KEY, ...headers } }, async (answer) => {
      const pieces: Buffer[] = [];
      for await (const piece of answer) pieces.push(piece as Buffer);
      resolve({ headers: answer.headers, body: Buffer.concat(pieces) });
    }).once('error', reject);
  });
}

test.each([
  ['gzip', true],
  ['br, gzip;q=0.5', true],
  ['*', true],
  ['GZIP', true],
  ['gzip;q=0', false],
  ['*, gzip; q=0.0', false],
  ['br', false],
  ['', false],
])('Accept-Encoding: %s compresses: %s', async (encoding, isCompressed) => {
  const headers = { 'accept-encoding': encoding, 'x-service-metrics-key': 'secret' };
  for (const path of ['/v1/spaces', '/metrics', RETRIEVE]) {
    const answer = await rawGet(path, headers);
    expect(answer.headers['content-encoding'], path).toBe(isCompressed ? 'gzip' : undefined);
    expect(answer.headers.vary, path).toContain('Accept-Encoding');
    const plain = await rawGet(path, { 'x-service-metrics-key': 'secret' });
    expect((isCompressed ? gunzipSync(answer.body) : answer.body).toString(), path).toBe(plain.body.toString());
  }
  const small = await rawGet('/v1/spaces?maxResults=1', headers);
  expect(small.headers['content-encoding']).toBeUndefined();
});

test('a compressed stream flushes each event, and one that fails has sent the earlier ones', async () => {
  let go = () => {};
  const seen = new Promise<void>((resolve) => {
    go = resolve;
  });
  source = async function* () {
    yield reply('one');
    await seen;
    yield reply('two');
    throw new Error('on purpose');
  };
  const text = await new Promise<string>((resolve, reject) => {
    get(`${wires.rest}${RETRIEVE}`, { headers: { ...KEY, 'accept-encoding': 'gzip' } }, (answer) => {
      const unpacked = answer.on('error', () => {}).pipe(createGunzip());
      let read = '';
      unpacked.on('data', (piece: Buffer) => {
        read += piece.toString();
        if (read.includes('one')) go();
        if (read.includes('two')) resolve(read);
      });
    }).once('error', reject);
  });
  expect(text).toMatch(/one.*\n.*two.*\n/);
});

test.each([
  [undefined, 'attachment'],
  ['roof.md', 'attachment; filename=roof.md'],
  ['a "b";c.txt', 'attachment; filename="a \\"b\\";c.txt"'],
  [
    'Plan für Überdachung.pdf',
    `attachment; filename="Plan f?r ?berdachung.pdf"; filename*=UTF-8''Plan%20f%C3%BCr%20%C3%9Cberdachung.pdf`,
  ],
  [
    'наброски.txt',
    `attachment; filename="????????.txt"; filename*=UTF-8''%D0%BD%D0%B0%D0%B1%D1%80%D0%BE%D1%81%D0%BA%D0%B8.txt`,
  ],
  ['../../etc/passwd', 'attachment; filename=passwd'],
  ['C:\\windows\\win.ini', 'attachment; filename=win.ini'],
  ['a\r\nset-cookie: x\u0000.txt', 'attachment; filename="aset-cookie: x.txt"'],
  ['cod\u202efdp.exe', 'attachment; filename=codfdp.exe'],
  ['lone \ud800.txt', 'attachment; filename="lone .txt"'],
  ['..', 'attachment'],
  ['folder/', 'attachment'],
  [`${'x'.repeat(1000)}.pdf`, `attachment; filename=${'x'.repeat(196)}.pdf`],
])('the name of a document: %s', (filename, header) => {
  expect(contentDisposition(filename)).toBe(header);
});
