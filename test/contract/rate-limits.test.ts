import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase, testDatabaseKind } from '../support/database.ts';
import { grpcWire } from '../support/grpc-wire.ts';
import { raw } from '../support/raw-rest.ts';
import { startServer, type TestServer } from '../support/server.ts';

const MAX = 100;
/** A day, so that no window ends while the tests run. */
const WINDOW_S = 86_400;
const APP = 'https://app.example.com';
const FLAGS = [
  ...['--rate-limit-max', String(MAX), '--rate-limit-window-s', String(WINDOW_S)],
  ...['--cors-origins', `https://other.example.com,${APP}`, '--sdk-events'],
];

let database: TestDatabase;
let server: TestServer;
let rootKey = '';

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServer({ databaseFlags: database.serverFlags, flags: FLAGS });
  rootKey = await server.init();
});
afterAll(async () => {
  await server?.end();
  await database?.drop();
});

async function newKey(): Promise<string> {
  return (await raw(server, 'POST /v1/apikeys', { key: rootKey, body: {} })).json.rawApiKey;
}

const list = (key: string, on = server) => raw(on, '/v1/spaces', { key });
const remaining = ({ headers }: { headers: Headers }) => Number(headers.get('x-ratelimit-remaining'));

test('the limit of the flags applies to a key, on both wires together', async () => {
  const key = await newKey();
  const first = await list(key);
  expect(first.headers.get('x-ratelimit-limit')).toBe(String(MAX));
  expect(remaining(first)).toBe(MAX - 1);
  const reset = Number(first.headers.get('x-ratelimit-reset'));
  expect(reset % WINDOW_S).toBe(0);
  expect(reset).toBeGreaterThan(Date.now() / 1000);
  const grpc = grpcWire(server.grpc);
  expect(await grpc.call('listSpaces', {}, { key })).toMatchObject({ ok: true });
  const rest = await Promise.all(Array.from({ length: MAX - 2 }, () => list(key)));
  expect(rest.map(({ status }) => status)).toEqual(rest.map(() => 200));
  expect(rest.map(remaining).sort((a, b) => a - b)).toEqual(rest.map((_, index) => index));

  const refused = await list(key);
  expect(refused.status).toBe(429);
  const wait = Number(refused.headers.get('retry-after'));
  expect(wait).toBeGreaterThanOrEqual(1);
  expect(wait).toBeLessThanOrEqual(WINDOW_S);
  const details = `limit ${MAX} per ${WINDOW_S} s; retry after ${wait} s`;
  expect(refused.error).toEqual({ code: 'RESOURCE_EXHAUSTED', message: 'Too many requests', details });
  expect(await grpc.call('listSpaces', {}, { key })).toMatchObject({ ok: false, code: 'RESOURCE_EXHAUSTED' });
  grpc.close();
  expect((await list(await newKey())).status).toBe(200);
});

test('a batch counts as one request, whatever it holds', async () => {
  const key = await newKey();
  const before = remaining(await list(key));
  const body = { memoryIds: Array.from({ length: 50 }, () => randomUUID()) };
  const batch = await raw(server, 'POST /v1/memories:batchGet', { key, body });
  expect([batch.status, batch.json.results.length, remaining(batch)]).toEqual([200, 50, before - 1]);
});

test('CORS allows the origins of the flags', async () => {
  const headers = { origin: APP, 'access-control-request-method': 'GET' };
  expect((await raw(server, 'OPTIONS /v1/spaces', { headers })).status).toBe(204);
  const answer = await raw(server, '/v1/spaces', { key: rootKey, headers: { origin: APP } });
  expect(answer.headers.get('access-control-allow-origin')).toBe(APP);
});

test('with --sdk-events the items of a stream are nested', async () => {
  const send = async (target: string, body: Record<string, unknown>) =>
    (await raw(server, target, { key: rootKey, body })).json;
  const fields = { displayName: 'e', providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 64 };
  const { embedderId } = await send('POST /v1/embedders', fields);
  const { spaceId } = await send('POST /v1/spaces', { name: 'nested', embedderId });
  const originalContent = 'The boiler was serviced.';
  const { memoryId } = await send('POST /v1/memories?waitMs=60000', {
    spaceId,
    contentType: 'text/plain',
    originalContent,
  });
  const answer = await raw(server, `/v1/memories:retrieve?message=boiler&spaceIds=${spaceId}`, { key: rootKey });
  const events = answer.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { retrievedItem } = events.find((event) => event.retrievedItem !== undefined);
  expect(retrievedItem).toEqual({
    chunk: {
      resultSetId: events.find((event) => event.resultSetBoundary !== undefined).resultSetBoundary.resultSetId,
      chunk: expect.objectContaining({ memoryId, chunkText: originalContent }),
      memoryIndex: 0,
      relevanceScore: expect.any(Number),
    },
  });
});

/** Of what servers have told each other, which they do twice a second, the most calls of one key or address. */
async function mostCounted(): Promise<number> {
  const db = await database.connect();
  const text = 'select coalesce(max(requests), 0)::int as most from rate_limit_count';
  const [row] = await db.main.query<{ most: number }>({ name: 'test_most_counted', text }, []);
  await db.close();
  return row?.most ?? 0;
}

if (testDatabaseKind() === 'postgres') {
  test('servers on one database count together, also those that start later', async () => {
    const spent = await newKey();
    const key = await newKey();
    await Promise.all(Array.from({ length: MAX }, () => list(spent)));
    expect((await list(spent)).status).toBe(429);
    await expect.poll(mostCounted, { timeout: 10_000 }).toBeGreaterThanOrEqual(MAX);
    const other = await startServer({ databaseFlags: database.serverFlags, flags: FLAGS });
    try {
      expect((await list(spent, other)).status).toBe(429);
      expect(remaining(await list(key, other))).toBe(MAX - 1);
      await Promise.all(Array.from({ length: MAX - 1 }, () => list(key)));
      // Without sharing the other server would still take all but one of its own hundred.
      let taken = 0;
      while ((await list(key, other)).status === 200) {
        taken += 1;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      expect(taken).toBeLessThan(MAX / 2);
    } finally {
      await other.end();
    }
  });
}
