import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { testDatabaseKind } from '../../support/database.ts';
import { type RawRequest, raw } from '../../support/raw-rest.ts';
import { useOwnServer } from '../../support/server.fixture.ts';
import { unique } from '../../support/stage.ts';

const running = useOwnServer(['--rest-max-body-mb', '1']);

const post = (body: RawRequest['body'], more: RawRequest = {}) =>
  raw(running.server, 'POST /v1/spaces', { key: running.rootKey, ...(body === undefined ? {} : { body }), ...more });

async function embedderId(): Promise<string> {
  const label = { owner: 'rest-bodies' };
  const found = await raw(running.server, '/v1/embedders?label.owner=rest-bodies', { key: running.rootKey });
  if (found.json.embedders.length > 0) return found.json.embedders[0].embedderId;
  const body = { displayName: 'e', providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 64 };
  const created = await raw(running.server, 'POST /v1/embedders', {
    key: running.rootKey,
    body: { ...body, labels: label },
  });
  expect(created.status).toBe(201);
  return created.json.embedderId;
}

const space = async (more: object = {}) => ({ name: unique('s'), embedderId: await embedderId(), ...more });

test.each([
  '{',
  '{"name":}',
  '{"name":"x",}',
  'nope',
  '[',
  '"',
  '{"a":1}{"b":2}',
  "{'name':'x'}",
  '{"name":NaN}',
  '{"name":"\u0001"}',
  '{"name":"\\x"}',
  '{name:"x"}',
  ' ',
  '\0',
])('malformed JSON: %j', async (body) => {
  const answer = await post(body);
  expect(answer.status).toBe(400);
  expect(answer.error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringMatching(/^Invalid JSON/) });
});

test.each(['[]', '"text"', '5', 'true', '[{"name":"x"}]'])('JSON that is no object: %s', async (body) => {
  const answer = await post(body);
  expect(answer.status).toBe(400);
  expect(answer.error.message).toMatch(/^Invalid JSON/);
});

test.each([
  ['{"nome":"x"}', 'nome: unknown field'],
  ['{"spaceEmbedders":[{"foo":1}]}', 'spaceEmbedders[0].foo: unknown field'],
  ['{"defaultChunkingConfig":{"recursive":{"size":1}}}', 'defaultChunkingConfig.recursive.size: unknown field'],
  ['{"space_embedders":[]}', 'space_embedders: unknown field'],
  ['{"__proto__":{"name":"x"}}', '__proto__: unknown field'],
  ['{"constructor":1}', 'constructor: unknown field'],
])('an unknown member is named with its path: %s', async (body, details) => {
  const answer = await post(body);
  expect(answer.status).toBe(400);
  expect(answer.error).toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(/^Invalid JSON/) });
  expect(answer.error.details).toContain(details);
});

test.each([
  ['name', 5],
  ['name', {}],
  ['publicRead', 'maybe'],
  ['publicRead', 1],
  ['labels', []],
  ['labels.a', { a: 5 }],
  ['retentionDays', 1.5],
  ['retentionDays', 'many'],
  ['retentionDays', 1e99],
  ['retentionDays', true],
  ['retentionDays', {}],
  ['spaceEmbedders', {}],
  ['spaceEmbedders[0]', ['x']],
  ['spaceEmbedders[0].defaultRetrievalWeight', [{ embedderId: randomUUID(), defaultRetrievalWeight: 'heavy' }]],
  ['spaceEmbedders[0].defaultRetrievalWeight', [{ embedderId: randomUUID(), defaultRetrievalWeight: 'NaN' }]],
  ['defaultChunkingConfig', 'none'],
])('a member of the wrong type is named: %s = %j', async (path, value) => {
  const name = path.split(/[.[]/, 1)[0] ?? '';
  const answer = await post({ name: 'x', [name]: value });
  expect(answer.status).toBe(400);
  expect(answer.error.code).toBe('INVALID_ARGUMENT');
  expect(answer.error.details).toContain(`${path}: `);
});

test('numbers and booleans may be strings, and a byte order mark is skipped', async () => {
  const body = `\ufeff${JSON.stringify(await space({ retentionDays: '30', publicRead: 'true' }))}`;
  const answer = await post(body);
  expect(answer.status).toBe(201);
  expect(answer.json).toMatchObject({ retentionDays: 30, publicRead: true });
});

test('ids that are no UUIDs are refused in path and body', async () => {
  for (const id of ['x', '123', `${randomUUID()}0`, 'g0000000-0000-4000-8000-000000000000', '%00', '..%2f', 'a%20b']) {
    const answer = await raw(running.server, `GET /v1/spaces/${id}`, { key: running.rootKey });
    expect(answer.status).toBe(400);
    expect(answer.error.code).toBe('INVALID_ARGUMENT');
  }
  for (const things of ['apikeys', 'spaces', 'memories', 'embedders', 'llms', 'rerankers']) {
    for (const method of things === 'memories' ? ['GET', 'PATCH', 'DELETE'] : ['GET', 'PUT', 'DELETE']) {
      const body = method.startsWith('P') ? { body: {} } : {};
      const answer = await raw(running.server, `${method} /v1/${things}/none`, { key: running.rootKey, ...body });
      expect([method, things, answer.status, answer.error.code]).toEqual([method, things, 400, 'INVALID_ARGUMENT']);
      expect(answer.error.details).toMatch(/Id: not a UUID/);
    }
  }
  const answer = await post(await space({ spaceId: 'x', ownerId: '' }));
  expect(answer.status).toBe(400);
  expect(answer.error.details).toMatch(/spaceId: not a UUID/);
});

test('a path whose percent-encoding is broken is refused', async () => {
  for (const path of ['/v1/spaces/%zz', '/v1/spaces/%c3%28', '/v1/%', '/v1/spaces?nameFilter=%zz']) {
    const answer = await raw(running.server, path, { key: running.rootKey });
    expect([400, 404]).toContain(answer.status);
    expect(answer.error.details).toMatch(/malformed percent-encoding$/);
  }
});

test('bytes that are not UTF-8 are refused', async () => {
  const answer = await post(Buffer.from('{"name":"\xff\xfe"}', 'latin1'));
  expect(answer.status).toBe(400);
  expect(answer.error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringMatching(/^Invalid JSON/) });
});

test.each([
  ['name', (text: string) => ({ name: text })],
  ['description', (text: string) => ({ description: text })],
  ['labels', (text: string) => ({ labels: { [text]: 'v' } })],
  ['labels', (text: string) => ({ labels: { k: text } })],
  ['spaceId', (text: string) => ({ spaceId: text })],
])('NUL and lone surrogates are not stored: %s', async (field, make) => {
  for (const text of ['a\\u0000b', 'a\\ud800b']) {
    const body = JSON.stringify(await space(make('@'))).replace('"@"', `"${text}"`);
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(answer.error.code).toBe('INVALID_ARGUMENT');
    expect(answer.error.details).toContain(field);
  }
});

test('names of JavaScript prototypes are ordinary names', async () => {
  const labels = '{"__proto__":"a","constructor":"b","toString":"c","hasOwnProperty":"d"}';
  const body = JSON.stringify(await space({ labels: '@' })).replace('"@"', labels);
  const answer = await post(body);
  expect(answer.status).toBe(201);
  const read = await raw(running.server, `/v1/spaces/${answer.json.spaceId}`, { key: running.rootKey });
  expect(read.text).toContain('"__proto__":"a"');
  expect(Object.keys(read.json.labels).sort()).toEqual(['__proto__', 'constructor', 'hasOwnProperty', 'toString']);
  const update = await raw(running.server, `PUT /v1/spaces/${answer.json.spaceId}`, {
    key: running.rootKey,
    body: '{"mergeLabels":{"__proto__":"z"}}',
  });
  expect(update.text).toContain('"__proto__":"z"');
  const found = await raw(running.server, '/v1/spaces?label.__proto__=z', { key: running.rootKey });
  expect(found.json.spaces).toHaveLength(1);
});

test.each([
  ['arrays', '['.repeat(200_000) + ']'.repeat(200_000)],
  ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
])('deep nesting is refused: %s', async (_kind, value) => {
  const answer = await post(`{"name":"x","labels":${value}}`);
  expect(answer.status).toBe(400);
});

test('a body beyond the limit is refused, with and without its length, after the key', async () => {
  const big = JSON.stringify({ name: 'x'.repeat(1024 * 1024) });
  const stream = () =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(big));
        controller.close();
      },
    });
  for (const request of [{ body: big }, { body: stream(), headers: { 'content-type': 'application/json' } }]) {
    const answer = await post(undefined, request);
    expect(answer.status).toBe(413);
    expect(answer.error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', details: 'at most 1048576 bytes' });
  }
  const stranger = await raw(running.server, 'POST /v1/spaces', { body: big });
  expect(stranger.status).toBe(401);
  const exact = await post(`{"name":"${'x'.repeat(1024 * 1024 - 11)}"}`);
  expect(exact.error).toMatchObject({ code: 'INVALID_ARGUMENT', details: expect.stringContaining('name: ') });
});

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/vnd.api+json',
  'application/jsonx',
  'nonsense',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
])('a body of the type %s is refused', async (type) => {
  const answer = await post('{"name":"x"}', { headers: { 'content-type': type } });
  expect(answer.status).toBe(400);
  expect(answer.error.code).toBe('INVALID_REQUEST');
});

test('a refused Content-Type gets the list of accepted types', async () => {
  const text = { body: 'x', headers: { 'content-type': 'text/plain' }, key: running.rootKey };
  for (const [target, types] of [
    ['POST /v1/spaces', 'application/json'],
    ['POST /v1/memories', 'application/json or multipart/form-data'],
  ] as const) {
    const { error } = await raw(running.server, target, text);
    expect(error).toMatchObject({ message: `The body must be ${types}`, details: 'its content type is text/plain' });
  }
});

test('a body without a type is refused; parameters and case of the type do not matter', async () => {
  const bare = await post(new TextEncoder().encode('{}'), { headers: { 'content-type': '' } });
  expect(bare.error.code).toBe('INVALID_REQUEST');
  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;charset="UTF-8"']) {
    const answer = await post(JSON.stringify(await space()), { headers: { 'content-type': type } });
    expect(answer.status).toBe(201);
  }
});

test('no body is an empty object, and null is an unset member', async () => {
  expect((await post(undefined)).error.details).toContain('name: ');
  expect((await post('')).error.details).toContain('name: ');
  const key = await raw(running.server, 'POST /v1/apikeys', { key: running.rootKey });
  expect(key.status).toBe(201);
  const answer = await post(
    await space({ description: null, labels: null, spaceEmbedders: null, retentionDays: null }),
  );
  expect(answer.status).toBe(201);
  expect(answer.json).not.toHaveProperty('description');
});

test('a duplicate member is refused', async () => {
  const answer = await post(`{"name":"first",\n"embedderId":"${await embedderId()}","name":"second"}`);
  expect(answer.status).toBe(400);
  expect(answer.error).toMatchObject({
    code: 'INVALID_REQUEST',
    message: expect.stringMatching(/^Invalid JSON: an object names a member twice, at line 2, column \d+$/),
  });
});

test('integers of metadata are stored exactly or refused, at any depth', async () => {
  const { json } = await post(await space());
  const create = (metadata: string) =>
    raw(running.server, 'POST /v1/memories', {
      key: running.rootKey,
      headers: { 'content-type': 'application/json' },
      body: `{"spaceId":"${json.spaceId}","contentType":"text/plain","originalContent":"x","metadata":${metadata}}`,
    });
  const refused = await create('{"a":{"b":[1,9007199254740993]}}');
  expect(refused.status).toBe(400);
  expect(refused.error).toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: 'metadata.a.b[1]: must not be an integer beyond 2^53, which would be rounded; give a string',
  });
  const stored = await create('{"exact":9007199254740992,"text":"9007199254740993","real":1e300}');
  expect(stored.status).toBe(201);
  expect(stored.json.metadata).toEqual({ exact: 2 ** 53, text: '9007199254740993', real: 1e300 });
  const again = await create(JSON.stringify(stored.json.metadata));
  expect(again.status).toBe(201);
});

test('an empty list of embedders counts as omitted', async () => {
  // A server with an embedded database has an embedder by default; one with a database of its own has none.
  const { name } = await space();
  const leftOut = await post({ name });
  const empty = await post({ name: `${name} too`, spaceEmbedders: [] });
  if (testDatabaseKind() === 'embedded') {
    const idsOf = (answer: typeof leftOut) =>
      answer.json.spaceEmbedders.map((one: { embedderId: string }) => one.embedderId);
    expect(leftOut.status).toBe(201);
    expect(idsOf(empty)).toEqual(idsOf(leftOut));
  } else {
    expect(leftOut.error.details).toBe('spaceEmbedders: is required: there is no default embedder');
    expect(empty.error.details).toBe(leftOut.error.details);
  }
  const named = await post({ ...(await space()), spaceEmbedders: [] });
  expect(named.json.spaceEmbedders).toMatchObject([{ embedderId: await embedderId() }]);
});
