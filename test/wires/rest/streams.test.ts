import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { raw } from '../../support/raw-rest.ts';
import { sharedEmbedder, useServer } from '../../support/server.fixture.ts';
import type { Json } from '../../support/wire.ts';

const running = useServer();
const TEXTS = ['The boiler was serviced on 3 March.', 'Line one\nline two \u2028 "quoted" \u{1f600} about the boiler.'];
let spaceId = '';
let embedderId = '';

beforeAll(async () => {
  const send = async (target: string, body: Record<string, unknown>) =>
    (await raw(running.server, target, { key: running.rootKey, body })).json;
  embedderId = await sharedEmbedder(running);
  spaceId = (await send('POST /v1/spaces', { name: 'streams', embedderId })).spaceId;
  for (const originalContent of TEXTS) {
    await send('POST /v1/memories?waitMs=60000', { spaceId, contentType: 'text/plain', originalContent });
  }
});

const retrieve = (accept: string | undefined, body: Record<string, unknown> = {}) =>
  raw(running.server, 'POST /v1/memories:retrieve', {
    key: running.rootKey,
    headers: accept === undefined ? {} : { accept },
    body: { message: 'boiler', spaceKeys: [{ spaceId }], ...body },
  });

const linesOf = (text: string): Json[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);

test.each([
  undefined,
  'application/x-ndjson',
  '*/*',
  'application/json',
  'text/html',
  'text/event-stream;q=0.1, application/x-ndjson',
  'text/event-stream;q=0',
  'nonsense',
])('NDJSON for Accept: %s', async (accept) => {
  const answer = await retrieve(accept);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  expect(answer.text.endsWith('}\n')).toBe(true);
  const events = linesOf(answer.text);
  expect(events.every((event) => Object.keys(event).length === 1)).toBe(true);
  expect(events.at(0).resultSetBoundary.kind).toBe('BEGIN');
  expect(events.at(-1).resultSetBoundary.kind).toBe('END');
  expect(answer.text).not.toContain('completed');
});

test.each([
  'text/event-stream',
  'TEXT/EVENT-STREAM',
  'application/x-ndjson;q=0.5, text/event-stream',
  'text/event-stream, */*;q=0.1',
])('SSE for Accept: %s', async (accept) => {
  const answer = await retrieve(accept);
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const frames = answer.text.split('\n\n');
  expect(frames.pop()).toBe('');
  expect(frames.pop()).toBe('event: close\ndata: {"type":"completed"}');
  const events = frames.map((frame) => {
    expect(frame).toMatch(/^event: item\ndata: \{[^\r\n]*\}$/);
    return JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as Json;
  });
  const plain = linesOf((await retrieve(undefined)).text);
  // Of two retrievals the ids of the result set differ, and nothing else.
  const resultSet = events[0].resultSetBoundary.resultSetId;
  expect(resultSet).not.toBe(plain[0].resultSetBoundary.resultSetId);
  const inPlace = JSON.stringify(plain).replaceAll(plain[0].resultSetBoundary.resultSetId, resultSet);
  expect(events).toEqual(JSON.parse(inPlace));
  expect(events.every((event) => Object.keys(event).length === 1)).toBe(true);
  expect(events.filter((event) => event.retrievedItem)).toHaveLength(2);
});

test('an error before the first event is a normal response, whatever the Accept header says', async () => {
  for (const accept of ['text/event-stream', 'application/x-ndjson']) {
    const unknown = await retrieve(accept, { spaceKeys: [{ spaceId: randomUUID() }] });
    expect(unknown.status).toBe(404);
    expect(unknown.error.message).toMatch(/^Space not found: /);
    const bad = await retrieve(accept, { message: '' });
    expect(bad.status).toBe(400);
  }
});

test('streams are no-store and have the headers of every response', async () => {
  const answer = await retrieve('text/event-stream');
  expect(answer.headers.get('cache-control')).toContain('no-store');
  expect(answer.headers.get('x-request-id')).toMatch(/\S/);
});

const get = (query: string) => raw(running.server, `/v1/memories:retrieve?${query}`, { key: running.rootKey });

test('the GET form takes ids in a list or repeated, and always uses the chat post processor', async () => {
  const forms = [`spaceIds=${spaceId}`, `space_ids=${spaceId}`, `spaceIds=${spaceId}%2C`, `spaceIds=${spaceId}&x=1`];
  for (const form of forms) {
    const answer = await get(`message=boiler&${form}`);
    expect(answer.status).toBe(200);
    const events = linesOf(answer.text);
    expect(events[0].status.code).toBe('FEATURE_DISABLED');
    expect(events.filter((event) => event.retrievedItem)).toHaveLength(2);
  }
  const twice = await get(`message=boiler&spaceIds=${spaceId}&spaceIds=${spaceId}`);
  expect(twice.status).toBe(400);
});

test('the GET form takes a filter, sizes and switches', async () => {
  const items = async (query: string) => {
    const answer = await get(`message=boiler&spaceIds=${spaceId}&${query}`);
    expect(answer.status).toBe(200);
    return linesOf(answer.text);
  };
  const filtered = await items(`filter=${encodeURIComponent("field('contentType') = 'image/png'")}`);
  expect(filtered.filter((event) => event.retrievedItem)).toHaveLength(0);
  const bare = await items('fetch_memory=false');
  expect(bare.some((event) => event.memoryDefinition)).toBe(false);
  const full = await items('fetchMemoryContent=1');
  expect(full.find((event) => event.memoryDefinition).memoryDefinition.originalContent).toMatch(/\S/);
  expect((await items('explain=true')).at(-1).status.code).toBe('EXPLAIN');
});

test.each([
  ['MaxResults', 'max_results', '1'],
  ['LlmId', 'llm_id', randomUUID()],
  ['RerankerId', 'reranker_id', randomUUID()],
  ['RelevanceThreshold', 'relevance_threshold', '0.5'],
  ['LlmTemp', 'llm_temp', '1.5'],
  ['ChronologicalResort', 'chronological_resort', 'false'],
])('every spelling of %s means the same', async (camel, snake, value) => {
  const shapes = [];
  for (const name of [`postProcessor${camel}`, `pp${camel}`, `post_processor_${snake}`, `pp_${snake}`]) {
    const answer = await get(`message=boiler&spaceIds=${spaceId}&${name}=${value}`);
    expect(answer.status).toBe(200);
    const events = linesOf(answer.text);
    const chunks = events.flatMap((event) => (event.retrievedItem ? [event.retrievedItem.chunk.chunkText] : []));
    shapes.push(JSON.stringify([chunks, events.flatMap((event) => (event.status ? [event.status] : []))]));
  }
  expect(new Set(shapes).size).toBe(1);
});

test('of several spellings long camelCase wins, then short camelCase', async () => {
  const count = async (query: string) => {
    const { text } = await get(`message=boiler&spaceIds=${spaceId}&${query}`);
    return linesOf(text).filter((event) => event.retrievedItem).length;
  };
  expect(await count('pp_max_results=2&postProcessorMaxResults=1&ppMaxResults=2')).toBe(1);
  expect(await count('pp_max_results=2&ppMaxResults=1&post_processor_max_results=2')).toBe(1);
});

test('a GET value of the wrong type is refused; one out of range is a status', async () => {
  const base = `message=boiler&spaceIds=${spaceId}`;
  const wrong = [
    'ppMaxResults=many',
    'pp_llm_id=x',
    'ppChronologicalResort=perhaps',
    'pp_relevance_threshold=',
    'requestedSize=x',
  ];
  for (const query of wrong) {
    const answer = await get(`${base}&${query}`);
    expect(answer.status).toBe(400);
    expect(answer.error.details).toContain(query.split('=', 1)[0]);
  }
  for (const query of ['ppMaxResults=0', 'ppLlmTemp=9']) {
    const codes = linesOf((await get(`${base}&${query}`)).text).flatMap((event) =>
      event.status ? [event.status.code] : [],
    );
    expect(codes).toContain('INVALID_ARGUMENT');
  }
  expect((await get(`spaceIds=${spaceId}`)).error.details).toContain('message');
  expect((await get('message=boiler')).status).toBe(400);
  expect((await get('message=boiler&spaceIds=x')).status).toBe(400);
});

test('ping: integers keep all their digits, in SSE as in NDJSON', async () => {
  const ping = (accept: string) =>
    raw(running.server, 'POST /v1/ping:stream', {
      key: running.rootKey,
      headers: { accept },
      body: { targetId: embedderId, count: 2, intervalMs: 10 },
    });
  const lines = await ping('application/x-ndjson');
  expect(lines.text).toMatch(/"clientSendTimeUnixNanos":\d{19}[,}]/);
  expect(linesOf(lines.text).map((event) => Object.keys(event).join())).toEqual(['result', 'result', 'summary']);
  const frames = await ping('text/event-stream');
  expect(frames.text.match(/^event: item$/gm)).toHaveLength(3);
  expect(frames.text.endsWith('event: close\ndata: {"type":"completed"}\n\n')).toBe(true);
  const payloads = frames.text.split('\n\n').flatMap((frame) => /^event: item\ndata: (.*)$/.exec(frame)?.[1] ?? []);
  // The same members in the same order and form; only what was measured differs, and how many digits it took.
  const measured = /"(rtt\w+|\w+TimeUnixNanos|requestsPerSecond|bytesPerSecond|bytesReceived)":[\d.e+-]+/g;
  const form = (json: string) => json.replaceAll(measured, '"$1":0');
  expect(payloads.map(form)).toEqual(lines.text.trimEnd().split('\n').map(form));
  expect(payloads.filter((json) => /"clientSendTimeUnixNanos":\d{19}[,}]/.test(json))).toHaveLength(2);
});

test('a client abort of a stream stops the probes', async () => {
  const body = JSON.stringify({ targetId: embedderId, count: 100, intervalMs: 200 });
  const head = [
    'POST /v1/ping:stream HTTP/1.1',
    'host: x',
    `x-api-key: ${running.rootKey}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ].join('\r\n');
  const { hostname, port } = new URL(running.server.rest);
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(`${head}\r\n\r\n${body}`));
    socket.on('data', (piece) => {
      if (piece.includes('"result"')) socket.destroy();
    });
    socket.on('close', () => resolve());
    socket.on('error', reject);
  });
  // A stream that still ran would keep the server from quiescing, which the end of this file waits for.
  const complaints = running.server.logs.filter((entry) => /"level":"(error|fatal)"/.test(JSON.stringify(entry)));
  expect(complaints).toEqual([]);
});
