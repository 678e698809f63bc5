import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { raw, rawSocket } from '../../support/raw-rest.ts';
import { useServer } from '../../support/server.fixture.ts';
import { unique } from '../../support/stage.ts';

const running = useServer();
const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const get = (path: string, headers: Record<string, string> = {}) =>
  raw(running.server, path, { key: running.rootKey, headers });

test('every response has X-Service-Version', async () => {
  for (const target of ['/livez', '/v1/spaces', '/nowhere', 'POST /v1/system/init']) {
    expect((await raw(running.server, target)).headers.get('x-service-version')).toBe(version);
  }
});

test('a valid X-Request-Id is used, else one is generated', async () => {
  for (const id of ['a', 'x'.repeat(128), '!"#~', randomUUID()]) {
    expect((await get('/v1/spaces', { 'x-request-id': id })).headers.get('x-request-id')).toBe(id);
  }
  for (const id of ['', 'x'.repeat(129), 'a b', 'caf\u00e9', 'tab\there']) {
    const made = (await get('/v1/spaces', { 'x-request-id': id })).headers.get('x-request-id');
    expect(made).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  }
  const first = (await get('/livez')).headers.get('x-request-id');
  expect((await get('/livez')).headers.get('x-request-id')).not.toBe(first);
});

test('creates answer 201 with the Location of the new resource', async () => {
  const made = async (path: string, body: Record<string, unknown>) => {
    const answer = await raw(running.server, `POST ${path}`, { key: running.rootKey, body });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const location = answer.headers.get('location') ?? '';
    expect((await get(location)).status).toBe(200);
    return { location, body: answer.json };
  };
  const key = await made('/v1/apikeys', {});
  expect(key.location).toBe(`/v1/apikeys/${key.body.apiKeyMetadata.apiKeyId}`);
  const user = await made('/v1/users', { email: `${unique('u')}@example.org`, displayName: 'u' });
  expect(user.location).toBe(`/v1/users/${user.body.userId}`);
  const embedder = await made('/v1/embedders', {
    displayName: 'e',
    providerType: 'BUILTIN',
    modelIdentifier: 'lexical-v1',
    dimensionality: 96,
  });
  expect(embedder.location).toBe(`/v1/embedders/${embedder.body.embedderId}`);
  const target = { displayName: 't', endpointUrl: `https://${unique('h')}.example.org`, modelIdentifier: 'm' };
  const llm = await made('/v1/llms', { ...target, providerType: 'OPENAI' });
  expect(llm.location).toBe(`/v1/llms/${llm.body.llm.llmId}`);
  const reranker = await made('/v1/rerankers', { ...target, providerType: 'JINA' });
  expect(reranker.location).toBe(`/v1/rerankers/${reranker.body.rerankerId}`);
  const space = await made('/v1/spaces', { name: unique('s'), embedderId: embedder.body.embedderId });
  expect(space.location).toBe(`/v1/spaces/${space.body.spaceId}`);
  const gone = await raw(running.server, `DELETE ${space.location}`, { key: running.rootKey });
  expect(gone.status).toBe(204);
  expect(gone.bytes).toHaveLength(0);
  expect((await raw(running.server, `DELETE ${space.location}`, { key: running.rootKey })).status).toBe(404);
});

test.each([
  '/nowhere',
  '/v1',
  '/v1/default/spaces',
  '/v1/spaces/a/b/c',
  'PATCH /v1/spaces/01980000-0000-7000-8000-000000000001',
  'PUT /v1/spaces',
  'DELETE /v1/spaces',
  'OPTIONS /v1/spaces',
  'POST /livez',
  'GET /v1/system/init',
  '/v1/memories%3Aretrieve/x',
])('no such route: %s', async (target) => {
  const answer = await raw(running.server, target, { key: running.rootKey });
  expect(answer.status).toBe(404);
  expect(answer.error.code).toBe('NOT_FOUND');
});

test.each([
  ['PUT /v1/spaces', 'this path accepts POST, GET, HEAD'],
  ['GET /v1/spaces/', ''],
  ['GET /v1/users/email/', ''],
  ['/nowhere', ''],
])('known path, unknown method: %s', async (target, details) => {
  const answer = await raw(running.server, target, { key: running.rootKey });
  expect(answer.error).toMatchObject({ code: 'NOT_FOUND', details: expect.stringContaining(details) });
  expect(answer.error.message).toBe(`No such route: ${target.startsWith('/') ? `GET ${target}` : target}`);
});

test('HEAD is accepted wherever GET is', async () => {
  const answer = await raw(running.server, 'HEAD /v1/spaces', { key: running.rootKey });
  expect(answer.status).toBe(200);
  expect(answer.text).toBe('');
  expect((await fetch(`${running.server.rest}/v1/spaces`, { method: 'HEAD' })).status).toBe(401);
});

test('the route is checked before the key, the key before everything else', async () => {
  expect((await raw(running.server, '/nowhere')).status).toBe(404);
  const body = '{not json';
  expect((await raw(running.server, 'POST /v1/spaces', { body })).status).toBe(401);
  const text = { headers: { 'content-type': 'text/plain' }, body };
  expect((await raw(running.server, 'POST /v1/spaces', text)).status).toBe(401);
});

test('permissions are checked after the fields', async () => {
  const created = await raw(running.server, 'POST /v1/apikeys', {
    key: running.rootKey,
    body: { restrictions: { readOnly: true } },
  });
  const key = created.json.rawApiKey;
  const body = { name: unique('never'), foo: 1 };
  expect((await raw(running.server, 'POST /v1/spaces', { key, body })).status).toBe(400);
  expect((await raw(running.server, 'POST /v1/spaces', { key, body: { name: body.name } })).status).toBe(403);
});

test('without a key little of a body is read', async () => {
  const init = (size: number) => raw(running.server, 'POST /v1/system/init', { body: `{${' '.repeat(size)}}` });
  expect((await init(60_000)).status).toBe(200);
  const refused = await init(70_000);
  expect(refused.status).toBe(413);
  expect(refused.error.code).toBe('PAYLOAD_TOO_LARGE');
});

test('the health endpoints need no key and report the state', async () => {
  for (const path of ['/health', '/livez', '/readyz', '/startupz']) {
    const answer = await raw(running.server, path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.json).toEqual({ state: 'READY', started: true });
  }
});

test('query names come in both cases, camelCase wins, unknown ones are ignored', async () => {
  const embedder = await raw(running.server, 'POST /v1/embedders', {
    key: running.rootKey,
    body: { displayName: 'q', providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 48 },
  });
  const { embedderId } = embedder.json;
  for (const name of ['qa', 'qb', 'qc']) {
    const body = { name, embedderId, labels: { q: 'yes', 'a.b': '1' } };
    await raw(running.server, 'POST /v1/spaces', { key: running.rootKey, body });
  }
  const names = async (query: string) =>
    (await get(`/v1/spaces?${query}`)).json.spaces.map((space: { name: string }) => space.name);
  expect(await names('label.q=yes&max_results=1')).toEqual(['qc']);
  expect(await names('label.q=yes&maxResults=2&max_results=1')).toEqual(['qc', 'qb']);
  expect(await names('label[q]=yes&sort_by=name&sort_order=ASCENDING')).toEqual(['qa', 'qb', 'qc']);
  expect(await names('label%5Bq%5D=yes&label.a.b=1&whatever=1')).toEqual(['qc', 'qb', 'qa']);
  expect(await names('name_filter=Q%3f&label.q=yes')).toEqual(['qc', 'qb', 'qa']);
  expect(await names('nameFilter=?b&label.q=yes')).toEqual(['qb']);
  expect(await names('publicRead=0&label.q=yes')).toEqual(['qc', 'qb', 'qa']);
  const bad = ['maxResults=many', 'publicRead=yes', 'sortOrder=UP', 'ownerId=x', 'maxResults=1.5', 'maxResults='];
  for (const query of bad) {
    const answer = await get(`/v1/spaces?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.error.details).toContain(query.split('=', 1)[0]);
  }
});

test.each([
  ['noise', '\x00\x01\x02\x03 nonsense\r\n\r\n'],
  ['two different lengths', 'POST /v1/spaces HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
  [
    'a length and chunks',
    'POST /v1/spaces HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['a malformed length', 'POST /v1/spaces HTTP/1.1\r\nhost: x\r\ncontent-length: many\r\n\r\n'],
  ['a space before the colon', 'GET /livez HTTP/1.1\r\nhost : x\r\n\r\n'],
  ['no host', 'GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n'],
  ['endless headers', `GET /livez HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(300_000)}\r\n\r\n`],
  ['TLS on the plain port', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03'],
])('malformed HTTP is refused with an error body: %s', async (_name, bytes) => {
  const text = await rawSocket(running.server, Buffer.from(bytes, 'latin1'));
  expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  expect(JSON.parse(body)).toEqual({
    error: { code: 'INVALID_REQUEST', message: expect.any(String), details: expect.any(String) },
  });
  expect(head.toLowerCase()).toContain('x-service-version: ');
  expect(head.toLowerCase()).toContain('x-request-id: ');
  expect((await get('/livez')).status).toBe(200);
});

test('a truncated body stores nothing', async () => {
  const head = `POST /v1/spaces HTTP/1.1\r\nhost: x\r\nx-api-key: ${running.rootKey}\r\ncontent-type: application/json\r\n`;
  const { hostname, port } = new URL(running.server.rest);
  for (let round = 0; round < 5; round += 1) {
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(`${head}content-length: 1000\r\n\r\n{"name":`, () => socket.destroy());
      });
      socket.on('close', () => resolve());
      socket.on('error', reject);
    });
  }
  expect((await get('/readyz')).status).toBe(200);
  const complaints = running.server.logs.filter((entry) => /"level":"(error|fatal)"/.test(JSON.stringify(entry)));
  expect(complaints).toEqual([]);
});
