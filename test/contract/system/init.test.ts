import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { grpcWire } from '../../support/grpc-wire.ts';
import { restWire } from '../../support/rest-wire.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import type { Answer, Wire } from '../../support/wire.ts';

const INIT_TOKEN = 'let-me-in-please-1';

const rootKeyOf = (answer: Answer): string | undefined => (answer.ok ? answer.body.rootApiKey : undefined);

/** A server that nobody has initialized, for the tests of a `describe`. */
function useFresh(flags: readonly string[] = []): { server: TestServer; rest: Wire; grpc: Wire } {
  const fresh = {} as ReturnType<typeof useFresh>;
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await createTestDatabase();
    const server = await startServer({ databaseFlags: database.serverFlags, flags });
    Object.assign(fresh, { server, rest: restWire(server.rest), grpc: grpcWire(server.grpc) });
  });
  afterAll(async () => {
    fresh.grpc?.close();
    await fresh.server?.end();
    await database?.drop();
  });
  return fresh;
}

describe('without an init token', () => {
  const fresh = useFresh();
  let key = '';

  test('of concurrent first calls over both wires exactly one gets the key', async () => {
    const { rest, grpc } = fresh;
    const early = await rest.call('listUsers', {}, { key: 'svc_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' });
    expect(early).toMatchObject({ ok: false, code: 'UNAUTHENTICATED' });
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
    key = winners.map(rootKeyOf)[0] ?? '';
    const { userId } = winners[0]?.ok ? winners[0].body : undefined;
    for (const wire of [rest, grpc]) {
      expect(await wire.call('getUser', {}, { key })).toMatchObject({ body: { userId, role: 'ROOT' } });
      // Nobody else was there, and no second key was made.
      expect(await wire.call('listUsers', {}, { key })).toMatchObject({ body: { users: [{ userId }] } });
      expect(await wire.call('listApiKeys', {}, { key })).toMatchObject({ body: { keys: [{ userId }] } });
    }
  });

  test('the key works with both headers', async () => {
    const me = (headers: Record<string, string>) => fetch(`${fresh.server.rest}/v1/users/me`, { headers });
    expect((await me({ 'x-api-key': key })).status).toBe(200);
    expect((await me({ authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await me({ authorization: `bearer ${key}` })).status).toBe(200);
    expect((await me({ authorization: `Basic ${key}` })).status).toBe(401);
    expect((await me({ 'x-api-key': 'svc_wrong', authorization: `Bearer ${key}` })).status).toBe(401);
    expect((await me({ 'x-api-key': key, authorization: 'Bearer svc_wrong' })).status).toBe(200);
  });

  test('the embedded database gets a default embedder, an external one does not', async () => {
    const { rest } = fresh;
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
});

describe('with an init token', () => {
  const fresh = useFresh(['--init-token', INIT_TOKEN]);

  test('refuses any other, and logs neither it nor the key', async () => {
    const { server, rest, grpc } = fresh;
    for (const wire of [rest, grpc]) {
      for (const options of [{}, { initToken: 'wrong' }, { initToken: '' }]) {
        const answer = await wire.call('initializeSystem', {}, options);
        expect(answer).toMatchObject({ ok: false, code: 'UNAUTHENTICATED' });
      }
    }
    // Neither a body nor a message has anything to say: an empty object will do for the first call.
    const headers = { 'content-type': 'application/json', 'x-service-init-token': INIT_TOKEN };
    const response = await fetch(`${server.rest}/v1/system/init`, { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(200);
    const { rootApiKey: key } = (await response.json()) as { rootApiKey: string };
    expect(key).toMatch(/^svc_/);
    expect(await rest.call('initializeSystem', {})).toMatchObject({ ok: false, code: 'UNAUTHENTICATED' });
    for (const wire of [rest, grpc]) {
      const again = await wire.call('initializeSystem', {}, { initToken: INIT_TOKEN });
      expect(again).toMatchObject({ ok: true, body: { alreadyInitialized: true } });
    }
    const logs = JSON.stringify(server.logs);
    expect(logs).not.toContain(INIT_TOKEN);
    expect(logs).not.toContain(key);
  });
});
