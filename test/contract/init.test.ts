import { afterEach, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { grpcWire } from '../support/grpc-wire.ts';
import { restWire } from '../support/rest-wire.ts';
import { startServer, type TestServer } from '../support/server.ts';
import type { Answer, Wire } from '../support/wire.ts';

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function fresh(flags: readonly string[] = []): Promise<{ server: TestServer; rest: Wire; grpc: Wire }> {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const server = await startServer({ databaseFlags: database.serverFlags, flags });
  cleanups.push(() => server.end());
  const rest = restWire(server.rest);
  const grpc = grpcWire(server.grpc);
  cleanups.push(() => grpc.close());
  return { server, rest, grpc };
}

const rootKeyOf = (answer: Answer): string | undefined => (answer.ok ? answer.body.rootApiKey : undefined);

test('of many first calls over both wires exactly one gets the key', async () => {
  const { rest, grpc } = await fresh();
  const answers = await Promise.all(
    [rest, grpc, rest, grpc, rest, grpc].map((wire) => wire.call('initializeSystem', {})),
  );
  expect(answers.every((answer) => answer.ok)).toBe(true);
  const winners = answers.filter((answer) => rootKeyOf(answer) !== undefined);
  expect(winners).toHaveLength(1);
  expect(winners[0]).toMatchObject({
    body: {
      alreadyInitialized: false,
      message: expect.stringMatching(/\S/),
      rootApiKey: expect.stringMatching(/^svc_[a-z2-7]{32}$/),
      userId: expect.any(String),
    },
  });
  const key = winners.map(rootKeyOf)[0];
  for (const wire of [rest, grpc]) expect(await wire.call('getUser', {}, { key })).toMatchObject({ ok: true });
});

test('with an init token, the right one is needed, and neither it nor the key reaches the log', async () => {
  const initToken = 'let-me-in-please-1';
  const { server, rest, grpc } = await fresh(['--init-token', initToken]);
  for (const wire of [rest, grpc]) {
    for (const options of [{}, { initToken: 'wrong' }, { initToken: '' }]) {
      const answer = await wire.call('initializeSystem', {}, options);
      const details = 'send it as X-Service-Init-Token';
      expect(answer).toMatchObject({ ok: false, code: 'UNAUTHENTICATED', details });
    }
  }
  const answer = await grpc.call('initializeSystem', {}, { initToken });
  const key = rootKeyOf(answer);
  expect(key).toMatch(/^svc_/);
  expect(await rest.call('initializeSystem', {})).toMatchObject({ ok: false, code: 'UNAUTHENTICATED' });
  const again = await rest.call('initializeSystem', {}, { initToken });
  expect(again).toMatchObject({ ok: true, body: { alreadyInitialized: true } });
  const logs = JSON.stringify(server.logs);
  expect(logs).not.toContain(initToken);
  expect(logs).not.toContain(key);
});

test('the embedded database gets a default embedder, an external one does not', async () => {
  const { server, rest } = await fresh();
  const key = await server.init();
  const created = await rest.call('createSpace', { name: 'first' }, { key });
  const list = await rest.call('listEmbedders', { label: { default: 'true' } }, { key });
  if (!list.ok) throw new Error(list.message);
  if (process.env.SVC_TEST_DATABASE === 'postgres') {
    expect(list.body.embedders).toEqual([]);
    expect(created).toMatchObject({
      ok: false,
      code: 'INVALID_ARGUMENT',
      details: expect.stringContaining('spaceEmbedders'),
    });
    return;
  }
  expect(list.body.embedders).toMatchObject([{ providerType: 'BUILTIN', modelIdentifier: 'lexical-v1' }]);
  const { embedderId } = list.body.embedders[0];
  expect(created).toMatchObject({ ok: true, body: { spaceEmbedders: [{ embedderId }] } });
});

test('a body that is empty, an object or nothing at all will do; the key works with both headers', async () => {
  const { server } = await fresh();
  const response = await fetch(`${server.rest}/v1/system/init`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(response.status).toBe(200);
  const { rootApiKey } = (await response.json()) as { rootApiKey: string };
  const me = (headers: Record<string, string>) => fetch(`${server.rest}/v1/users/me`, { headers });
  expect((await me({ 'x-api-key': rootApiKey })).status).toBe(200);
  expect((await me({ authorization: `Bearer ${rootApiKey}` })).status).toBe(200);
  expect((await me({ authorization: `bearer ${rootApiKey}` })).status).toBe(200);
  expect((await me({ authorization: `Basic ${rootApiKey}` })).status).toBe(401);
  expect((await me({ 'x-api-key': 'svc_wrong', authorization: `Bearer ${rootApiKey}` })).status).toBe(401);
  expect((await me({ 'x-api-key': rootApiKey, authorization: 'Bearer svc_wrong' })).status).toBe(200);
});
