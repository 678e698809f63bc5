import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { raw } from '../../support/raw-rest.ts';
import { useOwnServer } from '../../support/server.fixture.ts';
import type { Json } from '../../support/wire.ts';

const running = useOwnServer(['--rest-max-body-mb', '3', '--max-content-mb', '2']);
const BYTES = Buffer.concat([Buffer.from('0123456789'), randomBytes(1_500_000)]);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
let spaceId = '';
let path = '';

const send = (target: string, body?: FormData | Record<string, unknown>, headers: Record<string, string> = {}) =>
  raw(running.server, target, { key: running.rootKey, headers, ...(body === undefined ? {} : { body }) });

function form(parts: readonly [string, string | Blob, string?][]): FormData {
  const data = new FormData();
  for (const [name, value, filename] of parts) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, value, filename ?? 'file.bin');
  }
  return data;
}

const describing = (more: object = {}) => JSON.stringify({ spaceId, contentType: 'application/octet-stream', ...more });
const file = (bytes: Uint8Array, type = '') => new Blob([new Uint8Array(bytes)], { type });
const content = async (memoryId: string) => (await send(`/v1/memories/${memoryId}/content`)).bytes;

beforeAll(async () => {
  const fields = { displayName: 'e', providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 64 };
  const { embedderId } = (await send('POST /v1/embedders', fields)).json;
  spaceId = (await send('POST /v1/spaces', { name: 'content', embedderId })).json.spaceId;
  const created = await send(
    'POST /v1/memories',
    form([
      ['request', describing()],
      ['file', file(BYTES)],
    ]),
  );
  expect(created.status).toBe(201);
  path = `/v1/memories/${created.json.memoryId}/content`;
});

test('content has its type and hash, and headers against execution in a browser', async () => {
  const answer = await send(path);
  expect(answer.status).toBe(200);
  expect(sha256(answer.bytes)).toBe(sha256(BYTES));
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': String(BYTES.length),
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
    'accept-ranges': 'bytes',
    etag: `"${sha256(BYTES)}"`,
    'content-disposition': 'attachment; filename=file.bin',
  });
  const head = await send(`HEAD ${path}`, undefined, { range: 'bytes=0-9' });
  expect(head.status).toBe(200);
  expect(head.bytes).toHaveLength(0);
  for (const name of ['content-type', 'content-length', 'etag', 'content-disposition'])
    expect(head.headers.get(name)).toBe(answer.headers.get(name));
});

test('a document is saved under its own name, whatever its characters, and its text beside it', async () => {
  const metadata = { filename: '../Übersicht "1".md' };
  const made = await send('POST /v1/memories?waitMs=60000', {
    ...{ spaceId, contentType: 'text/markdown', originalContent: '# Roof', metadata },
  });
  const named = async (part: string) =>
    (await send(`/v1/memories/${made.json.memoryId}/${part}`)).headers.get('content-disposition');
  const extended = '%C3%9Cbersicht%20%221%22.md';
  expect(await named('content')).toBe(`attachment; filename="?bersicht \\"1\\".md"; filename*=UTF-8''${extended}`);
  expect(await named('text')).toContain(`filename*=UTF-8''${extended}.txt`);
});

test.each([
  ['bytes=0-9', 0, 10],
  ['bytes=5-5', 5, 6],
  ['bytes=1500000-', 1_500_000, 1_500_010],
  ['bytes=-10', 1_500_000, 1_500_010],
  ['bytes=1048570-1048580', 1_048_570, 1_048_581],
  ['bytes=1500005-99999999', 1_500_005, 1_500_010],
  ['bytes=-99999999', 0, 1_500_010],
])('one range: %s', async (range, start, end) => {
  const answer = await send(path, undefined, { range });
  expect(answer.status).toBe(206);
  expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/1500010`);
  expect(answer.headers.get('content-length')).toBe(String(end - start));
  expect(Buffer.compare(answer.bytes, BYTES.subarray(start, end))).toBe(0);
});

test.each(['bytes=1500010-', 'bytes=99999999-', 'bytes=-0'])('no such range: %s', async (range) => {
  const answer = await fetch(`${running.server.rest}${path}`, { headers: { 'x-api-key': running.rootKey, range } });
  expect(answer.status).toBe(416);
  expect(answer.headers.get('content-range')).toBe('bytes */1500010');
});

test.each(['bytes=0-1,5-6', 'lines=1-2', 'bytes=9-2', 'bytes=x-y', 'bytes=-'])('not one range: %s', async (range) => {
  const answer = await send(path, undefined, { range });
  expect(answer.status).toBe(200);
  expect(answer.bytes).toHaveLength(BYTES.length);
});

test('conditional requests', async () => {
  const etag = `"${sha256(BYTES)}"`;
  const cached = await send(path, undefined, { 'if-none-match': etag });
  expect(cached.status).toBe(304);
  expect(cached.bytes).toHaveLength(0);
  for (const value of [`W/${etag}`, `"other", ${etag}`, '*']) {
    expect((await send(path, undefined, { 'if-none-match': value })).status).toBe(304);
  }
  expect((await send(path, undefined, { 'if-none-match': '"other"' })).status).toBe(200);
  expect((await send(path, undefined, { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
  expect((await send(path, undefined, { range: 'bytes=0-1', 'if-range': '"old"' })).status).toBe(200);
});

test('a stored HTML type is not served as a page', async () => {
  const html = { spaceId, contentType: 'text/html', originalContent: '<script>alert(1)</script>' };
  const { memoryId } = (await send('POST /v1/memories', html)).json;
  const answer = await send(`/v1/memories/${memoryId}/content`);
  expect(answer.headers.get('content-type')).toBe('text/html');
  expect(answer.headers.get('content-security-policy')).toBe('sandbox');
  const split = { spaceId, contentType: 'text/plain\r\nset-cookie: a=b', originalContent: 'x' };
  expect((await send('POST /v1/memories', split)).status).toBe(400);
});

test('multipart: either order of the parts, the file name in the metadata, its type as the default', async () => {
  const bytes = Buffer.from('# Title\n\nThe boiler.');
  const request = JSON.stringify({ spaceId, metadata: { room: 'cellar' } });
  const parts: [string, string | Blob, string?][] = [
    ['request', request],
    ['file', file(bytes, 'text/markdown'), 'n\u00f6tes.md'],
  ];
  for (const order of [parts, [...parts].reverse()]) {
    const answer = await send('POST /v1/memories?waitMs=60000', form(order));
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`/v1/memories/${answer.json.memoryId}`);
    expect(answer.json).toMatchObject({
      contentType: 'text/markdown',
      processingStatus: 'COMPLETED',
      metadata: { room: 'cellar', filename: 'n\u00f6tes.md' },
      originalContentSha256: sha256(bytes),
    });
    expect(Buffer.compare(await content(answer.json.memoryId), bytes)).toBe(0);
  }
  const named = JSON.stringify({ spaceId, contentType: 'text/plain', metadata: { filename: 'mine' } });
  const own = await send(
    'POST /v1/memories',
    form([
      ['request', named],
      ['file', file(bytes, 'text/markdown')],
    ]),
  );
  expect(own.json).toMatchObject({ contentType: 'text/plain', metadata: { filename: 'mine' } });
});

test('multipart: missing and excess parts are refused', async () => {
  const bytes = file(Buffer.from('x'));
  const cases: [FormData, string][] = [
    [form([['file', bytes]]), 'INVALID_REQUEST'],
    [form([['request', describing()]]), 'INVALID_ARGUMENT'],
    [
      form([
        ['request', '{nonsense'],
        ['file', bytes],
      ]),
      'INVALID_REQUEST',
    ],
    [
      form([
        ['request', describing({ originalContent: 'x' })],
        ['file', bytes],
      ]),
      'INVALID_ARGUMENT',
    ],
    [
      form([
        ['request', describing({ foo: 1 })],
        ['file', bytes],
      ]),
      'INVALID_ARGUMENT',
    ],
    [
      form([
        ['request', describing()],
        ['file', bytes],
        ['file', bytes],
      ]),
      'INVALID_ARGUMENT',
    ],
    [form([]), 'INVALID_REQUEST'],
  ];
  for (const [index, [body, code]] of cases.entries()) {
    const answer = await send('POST /v1/memories', body);
    expect([index, answer.status, answer.error.code]).toEqual([index, 400, code]);
  }
});

test('multipart: content and body have separate limits', async () => {
  const content = file(randomBytes(2 * 1024 * 1024 + 1));
  for (const parts of [
    [
      ['request', describing()],
      ['file', content],
    ],
    [
      ['file', content],
      ['request', describing()],
    ],
  ] as [string, string | Blob][][]) {
    const answer = await send('POST /v1/memories', form(parts));
    expect([answer.status, answer.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  }
  const body = file(randomBytes(4 * 1024 * 1024));
  const answer = await send(
    'POST /v1/memories',
    form([
      ['request', describing()],
      ['file', body],
    ]),
  );
  expect([answer.status, answer.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  const json = { ...JSON.parse(describing()), originalContentB64: randomBytes(2_097_153).toString('base64') };
  const long = file(randomBytes(20 * 1024 * 1024));
  const parts: [string, string | Blob][] = [
    ['request', describing()],
    ['file', long],
  ];
  for (const order of [parts, [...parts].reverse()]) {
    expect((await send('POST /v1/memories', form(order))).status).toBe(413);
  }
  const asJson = await send('POST /v1/memories', json);
  expect([asJson.status, asJson.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  const largest = file(randomBytes(2 * 1024 * 1024));
  expect(
    (
      await send(
        'POST /v1/memories',
        form([
          ['request', describing()],
          ['file', largest],
        ]),
      )
    ).status,
  ).toBe(201);
});

test('malformed base64 is refused; both alphabets are accepted', async () => {
  for (const originalContentB64 of ['a', '====', 'ab!=', 5]) {
    const answer = await send('POST /v1/memories', { ...JSON.parse(describing()), originalContentB64 });
    expect(answer.status).toBe(400);
    expect(answer.error.details).toContain('originalContentB64');
  }
  const both = { ...JSON.parse(describing()), originalContent: 'a', originalContentB64: 'YQ==' };
  expect((await send('POST /v1/memories', both)).status).toBe(400);
});

test('batch multipart: files are found by their fields; each item succeeds or fails', async () => {
  const item = (more: object) => JSON.parse(describing({ contentType: 'text/plain', ...more })) as Json;
  const requests = [
    item({ fileField: 'one' }),
    item({ fileField: 'two' }),
    item({ originalContent: 'inline' }),
    item({ fileField: 'missing' }),
  ];
  const files: [string, Blob][] = [
    ['two', file(Buffer.from('second'))],
    ['one', file(Buffer.from('first'))],
  ];
  for (const describingPart of [JSON.stringify({ requests }), JSON.stringify(requests)]) {
    for (const parts of [
      [['requests', describingPart], ...files],
      [...files, ['requests', describingPart]],
    ] as [string, string | Blob][][]) {
      const answer = await send('POST /v1/memories:batchCreate', form(parts));
      expect(answer.status).toBe(200);
      const { results } = answer.json;
      expect(results.map((result: Json) => result.success)).toEqual([true, true, true, false]);
      expect((await content(results[0].memoryId)).toString()).toBe('first');
      expect((await content(results[1].memoryId)).toString()).toBe('second');
      expect((await content(results[2].memoryId)).toString()).toBe('inline');
      expect(results[3].error.code).toBe(400);
    }
  }
  const single = JSON.stringify([item({})]);
  const one = await send(
    'POST /v1/memories:batchCreate',
    form([
      ['requests', single],
      ['anything', files[0]?.[1] ?? ''],
    ]),
  );
  expect(one.json.results[0]).toMatchObject({ success: true });
});

test('an aborted upload leaves nothing behind', async () => {
  const before = (await send(`/v1/spaces/${spaceId}/memories?maxResults=500`)).json.memories.length;
  const boundary = 'xxBOUNDARYxx';
  const opening = [
    `--${boundary}\r\ncontent-disposition: form-data; name="request"\r\n\r\n${describing()}`,
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n`,
  ].join('\r\n');
  const head = [
    'POST /v1/memories HTTP/1.1',
    'host: x',
    `x-api-key: ${running.rootKey}`,
    `content-type: multipart/form-data; boundary=${boundary}`,
    'content-length: 1000000',
  ].join('\r\n');
  const { hostname, port } = new URL(running.server.rest);
  for (const cut of [opening.slice(0, 20), opening, opening + 'x'.repeat(500_000)]) {
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(`${head}\r\n\r\n${cut}`, () => setImmediate(() => socket.destroy())),
      );
      socket.on('close', () => resolve());
      socket.on('error', reject);
    });
  }
  const after = (await send(`/v1/spaces/${spaceId}/memories?maxResults=500`)).json.memories.length;
  expect(after).toBe(before);
  const complaints = running.server.logs.filter((entry) => /"level":"(error|fatal)"/.test(JSON.stringify(entry)));
  expect(complaints).toEqual([]);
});

test('a body that ends before its last boundary is malformed', async () => {
  const type = 'multipart/form-data; boundary=b';
  const cut = '--b\r\ncontent-disposition: form-data; name="request"\r\n\r\n{"spaceId"';
  for (const text of [cut, '', 'no boundary at all', '--b--\r\n', `--b\r\n\r\n${describing()}\r\n--b--\r\n`]) {
    const answer = await raw(running.server, 'POST /v1/memories', {
      key: running.rootKey,
      headers: { 'content-type': type },
      body: text,
    });
    expect(answer.status).toBe(400);
    expect(answer.error.code).toBe('INVALID_REQUEST');
  }
});
