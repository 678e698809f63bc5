import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase, testDatabaseKind } from '../support/database.ts';
import { expectedHealth, HealthClient } from '../support/grpc-health.ts';
import { grpcWire } from '../support/grpc-wire.ts';
import { answering, forwarding, refusing } from '../support/postgres-stand-in.ts';
import { raw } from '../support/raw-rest.ts';
import { runSvc, startServer, type TestServer } from '../support/server.ts';
import { OpenAiStandIn } from '../support/stand-ins/openai.ts';

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function database(migrated = true): Promise<TestDatabase> {
  const created = await createTestDatabase({ migrated });
  cleanups.push(() => created.drop());
  return created;
}

async function serve(
  databaseFlags: readonly string[],
  until: 'ready' | 'listening' = 'ready',
  flags: readonly string[] = [],
): Promise<TestServer> {
  const server = await startServer({ databaseFlags, flags, until });
  cleanups.push(() => server.end('SIGKILL'));
  return server;
}

/** Runs a server that cannot start, to its end. */
const refused = (databaseFlags: readonly string[], flags: readonly string[] = []) => {
  const ports = ['--host', '127.0.0.1', '--rest-port', '0', '--grpc-port', '0', '--tls-disabled'];
  return runSvc(['serve', ...databaseFlags, ...ports, ...flags]);
};

async function untilReady(server: TestServer): Promise<void> {
  const deadline = Date.now() + 30_000;
  while ((await raw(server, '/readyz')).status !== 200) {
    if (Date.now() > deadline) throw new Error('the server did not become READY');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const secretsKey = () => ['--secrets-key', randomBytes(32).toString('base64')];
const logText = (server: TestServer) => server.logs.map((entry) => JSON.stringify(entry)).join('\n');

test('another secrets key than the one in use is refused with a sentence; the right one still works', async () => {
  const { serverFlags } = await database();
  const key = secretsKey();
  await (await serve(serverFlags, 'ready', key)).end();
  const { code, stderr } = await refused(serverFlags, secretsKey());
  expect(code).toBe(78);
  expect(stderr).toMatch(/secrets key/i);
  expect(stderr).not.toMatch(/\bat .+\(/);
  const right = await serve(serverFlags, 'ready', key);
  if (testDatabaseKind() === 'embedded') await expectAlone(right, serverFlags);
  expect(await right.end()).toBe(0);
});

/** A data directory has one server: a second one is refused, and the first does not mind. */
async function expectAlone(first: TestServer, serverFlags: readonly string[]): Promise<void> {
  const { code, stderr } = await refused(serverFlags);
  expect(code).toBe(78);
  expect(stderr).toMatch(/in use|another/i);
  expect((await raw(first, '/readyz')).status).toBe(200);
}

if (testDatabaseKind() === 'postgres') {
  const urlOf = ({ url }: TestDatabase) => new URL(url ?? '');
  const flagsFor = (url: URL, user = url.username || 'postgres') => {
    const plain = new URL(url.href);
    plain.username = '';
    plain.password = '';
    return ['--db-url', plain.href, '--db-user', user, '--db-password', url.password || 'not-looked-at'];
  };
  const standIn = (port: number) =>
    flagsFor(new URL(`postgresql://ada:secret@127.0.0.1:${port}/memories?sslmode=disable`), 'ada');

  async function client(url: URL): Promise<pg.Client> {
    const connected = new pg.Client({ connectionString: url.href });
    await connected.connect();
    cleanups.push(() => connected.end());
    return connected;
  }

  describe('STARTING', () => {
    test('is visible on both wires while another server migrates', async () => {
      const fresh = await database(false);
      const holder = await client(urlOf(fresh));
      await holder.query('select pg_advisory_lock(7285132009)');
      const server = await serve(fresh.serverFlags, 'listening');
      const state = { state: 'STARTING', started: false };
      const bodies = { '/health': 200, '/livez': 200, '/readyz': 503, '/startupz': 503 };
      for (const [path, status] of Object.entries(bodies)) {
        const answer = await raw(server, path);
        expect([path, answer.status, answer.json]).toEqual([path, status, state]);
      }
      const init = await raw(server, 'POST /v1/system/init');
      expect([init.status, init.error.code]).toEqual([503, 'UNAVAILABLE']);
      expect(init.headers.get('retry-after')).toBe('1');
      const grpc = grpcWire(server.grpc);
      cleanups.push(() => grpc.close());
      expect(await grpc.call('getSystemInfo', {})).toMatchObject({ ok: false, code: 'UNAVAILABLE' });
      const health = new HealthClient(server.grpc);
      cleanups.push(() => health.close());
      expect(await health.statuses()).toEqual(expectedHealth({ ready: false, started: false }));
      const [readiness, startup] = [health.watch('readiness'), health.watch('startup')];
      await expect.poll(() => [readiness, startup]).toEqual([['NOT_SERVING'], ['NOT_SERVING']]);
      await holder.query('select pg_advisory_unlock(7285132009)');
      await untilReady(server);
      expect(await grpc.call('getSystemInfo', {})).toMatchObject({ ok: true });
      expect(await health.statuses()).toEqual(expectedHealth({ ready: true, started: true }));
      const both = ['NOT_SERVING', 'SERVING'];
      await expect.poll(() => [readiness, startup]).toEqual([both, both]);
      expect(await server.end()).toBe(0);
    });

    test('servers that race to migrate one database all start', async () => {
      const fresh = await database(false);
      const servers = await Promise.all([serve(fresh.serverFlags), serve(fresh.serverFlags)]);
      const { rows } = await (await client(urlOf(fresh))).query(
        'select version from schema_migration order by version',
      );
      expect(rows.map((row) => row.version)).toEqual(rows.map((_, index) => index + 1));
      const keys = await Promise.allSettled(servers.map((server) => server.init()));
      expect(keys.filter((key) => key.status === 'fulfilled')).toHaveLength(1);
      expect(await Promise.all(servers.map((server) => server.end()))).toEqual([0, 0]);
    });

    test('an unavailable database is waited for, with a log line at every attempt', async () => {
      const real = await database();
      const url = urlOf(real);
      const target = { host: url.hostname, port: Number(url.port) };
      const door = await forwarding(target);
      await door.close();
      url.port = String(door.port);
      url.searchParams.set('sslmode', 'disable');
      const server = await serve(flagsFor(url), 'listening');
      expect((await raw(server, '/readyz')).json).toEqual({ state: 'STARTING', started: false });
      const deadline = Date.now() + 20_000;
      while ((logText(server).match(/not reachable/g) ?? []).length < 2) {
        if (Date.now() > deadline) throw new Error('no tries were logged');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const open = await forwarding(target, door.port);
      cleanups.push(() => open.close());
      await untilReady(server);
      expect(await server.end()).toBe(0);
    });

    test('SIGTERM ends the wait', async () => {
      const door = await forwarding({ host: '127.0.0.1', port: 1 });
      await door.close();
      const server = await serve(standIn(door.port), 'listening');
      expect(await server.end()).toBe(0);
    });
  });

  describe('permanent faults end with 78 and a sentence', () => {
    test.each([
      ['28P01', /password of the user ada/],
      ['28000', /does not allow the user ada to connect/],
      ['3D000', /database memories does not exist/],
    ])('%s', async (sqlState, sentence) => {
      const door = await refusing(sqlState, 'go away');
      cleanups.push(() => door.close());
      const { code, stderr } = await refused(standIn(door.port));
      expect(code).toBe(78);
      expect(stderr).toMatch(sentence);
      expect(stderr).not.toContain('"stack"');
    });

    const found = {
      version: '17.4',
      version_number: '170004',
      standby: 'f',
      database: 'memories',
      role: 'ada',
      schema: 'public',
      may_create_tables: 't',
      installed: '0.8.0',
      available: '0.8.0',
      reachable: 't',
    };
    // The driver gets text columns, so a false boolean is an empty string to it.
    test.each([
      [
        'a server that is too old',
        { version: '16.9', version_number: '160009', standby: '' },
        /PostgreSQL 16\.9; version 17/,
      ],
      ['no vector extension', { standby: '', installed: null, available: null }, /vector extension is not available/],
      ['a vector extension that is too old', { standby: '', installed: '0.5.1' }, /version 0\.5\.1; 0\.8\.0 or newer/],
    ])('%s', async (_name, row, sentence) => {
      const door = await answering({ ...found, ...row });
      cleanups.push(() => door.close());
      const { code, stderr } = await refused(standIn(door.port));
      expect(code).toBe(78);
      expect(stderr).toMatch(sentence);
    });

    test('missing privileges of the role', async () => {
      const fresh = await database(false);
      const admin = await client(urlOf(fresh));
      const role = `poor_${randomUUID().slice(0, 8)}`;
      await admin.query(`create role ${role} login`);
      cleanups.push(() =>
        admin.query(`reassign owned by ${role} to postgres; drop owned by ${role}; drop role ${role}`),
      );
      const flags = flagsFor(urlOf(fresh), role);
      const tables = await refused(flags);
      expect(tables.code).toBe(78);
      expect(tables.stderr).toContain(`The role ${role} may not create tables`);
      await admin.query(`grant create on schema public to ${role}`);
      const extension = await refused(flags);
      expect(extension.code).toBe(78);
      expect(extension.stderr).toContain(`The role ${role} may not create the vector extension`);
    });
  });

  test('the minimum of idle connections is open at READY', async () => {
    const real = await database();
    const server = await serve(real.serverFlags, 'ready', ['--db-min-idle', '5', '--background-db-min-idle', '2']);
    const url = urlOf(real);
    const name = url.pathname.slice(1);
    url.pathname = '/postgres';
    const admin = await client(url);
    const { rows } = await admin.query('select count(*)::int4 as open from pg_stat_activity where datname = $1', [
      name,
    ]);
    expect(rows[0].open).toBeGreaterThanOrEqual(7);
    const { pools } = (await raw(server, '/v1/system/status', { key: await server.init() })).json;
    expect(pools.main.idle + pools.main.used).toBeGreaterThanOrEqual(5);
    expect(pools.background.idle + pools.background.used).toBeGreaterThanOrEqual(2);
    await server.end();
    const after = await admin.query('select count(*)::int4 as open from pg_stat_activity where datname = $1', [name]);
    expect(after.rows[0].open).toBe(0);
  });

  test('connections never exceed the size of both pools under load', async () => {
    const real = await database();
    const pools = ['--db-min-idle', '1', '--db-max-pool', '3', '--background-db-max-pool', '2'];
    const server = await serve(real.serverFlags, 'ready', [...pools, '--worker-parallelism', '8']);
    const key = await server.init();
    const body = { displayName: 'e', providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 32 };
    const { embedderId } = (await raw(server, 'POST /v1/embedders', { key, body })).json;
    const { spaceId } = (await raw(server, 'POST /v1/spaces', { key, body: { name: 'busy', embedderId } })).json;
    const watcher = await client(urlOf(real));
    let most = 0;
    let isBusy = true;
    const watching = (async () => {
      while (isBusy) {
        const { rows } = await watcher.query(
          `select count(*)::int4 as open from pg_stat_activity
           where datname = current_database() and application_name = 'svc'`,
        );
        most = Math.max(most, rows[0].open);
      }
    })();
    const memory = { spaceId, contentType: 'text/plain', originalContent: 'Some text. '.repeat(200) };
    const work = Array.from({ length: 60 }, (_, n) =>
      n % 2 === 0
        ? raw(server, 'POST /v1/memories?waitMs=60000', { key, body: memory })
        : raw(server, `/v1/spaces/${spaceId}/memories`, { key }),
    );
    const statuses = (await Promise.all(work)).map((answer) => answer.status);
    isBusy = false;
    await watching;
    expect(new Set(statuses)).toEqual(new Set([200, 201]));
    // Three, two, and the one that asks whether the database answers.
    expect(most).toBeLessThanOrEqual(6);
    // More than either pool alone may have: both were at work.
    expect(most).toBeGreaterThan(4);
  });

  test('a key changed on one server is changed on the other at once; page tokens are valid on both', async () => {
    const real = await database();
    const [one, two] = await Promise.all([serve(real.serverFlags), serve(real.serverFlags)]);
    const root = await one.init();
    const { apiKeyMetadata, rawApiKey } = (await raw(one, 'POST /v1/apikeys', { key: root })).json;
    const onTwo = async () => (await raw(two, '/v1/users/me', { key: rawApiKey })).status;
    const path = `/v1/apikeys/${apiKeyMetadata.apiKeyId}`;
    expect(await onTwo()).toBe(200);
    await raw(one, `PUT ${path}`, { key: root, body: { status: 'INACTIVE' } });
    expect(await onTwo()).toBe(401);
    await raw(one, `PUT ${path}`, { key: root, body: { status: 'ACTIVE' } });
    expect(await onTwo()).toBe(200);
    await raw(one, `DELETE ${path}`, { key: root });
    expect(await onTwo()).toBe(401);
    const person = { email: 'a@example.org', displayName: 'a' };
    await raw(one, 'POST /v1/users', { key: root, body: person });
    const { nextToken } = (await raw(one, '/v1/users?maxResults=1', { key: root })).json;
    const next = await raw(two, `/v1/users?maxResults=1&nextToken=${nextToken}`, { key: root });
    expect(next.json.users[0].username).toBe('root');
  });

  test('without the secrets key a server starts; sealed credentials are CONFIGURATION_ERROR until they are replaced', async () => {
    const real = await database();
    const provider = await OpenAiStandIn.start({ dimensions: 8 });
    cleanups.push(() => provider.close());
    const first = await serve(real.serverFlags, 'ready', secretsKey());
    const key = await first.init();
    const target = { displayName: 'e', providerType: 'OPENAI', modelIdentifier: 'm', dimensionality: 8 };
    const credentials = (apiKey: object) => ({ credentials: { kind: 'CREDENTIAL_KIND_API_KEY', apiKey } });
    const body = { ...target, endpointUrl: `${provider.url}/v1`, ...credentials({ inlineSecret: 'sealed' }) };
    const { embedderId } = (await raw(first, 'POST /v1/embedders', { key, body })).json;
    const { spaceId } = (await raw(first, 'POST /v1/spaces', { key, body: { name: 's', embedderId } })).json;
    await first.end();

    const second = await serve(real.serverFlags);
    const question = { message: 'x', spaceKeys: [{ spaceId }] };
    const ask = async () => (await raw(second, 'POST /v1/memories:retrieve', { key, body: question })).text;
    expect(await ask()).toContain('"code":"CONFIGURATION_ERROR"');
    expect(provider.requests).toEqual([]);
    const change = credentials({ secretRef: { uri: 'env://PATH' } });
    expect((await raw(second, `PUT /v1/embedders/${embedderId}`, { key, body: change })).status).toBe(200);
    expect(await ask()).not.toContain('"status"');
    expect(provider.requests).toHaveLength(1);
  });

  test('what one server stores and embeds is found by the other, and by a third when both have stopped', async () => {
    const real = await database();
    const [one, two] = await Promise.all([serve(real.serverFlags), serve(real.serverFlags)]);
    const key = await one.init();
    const post = async (server: TestServer, path: string, body: Record<string, unknown>) => {
      const answer = await raw(server, `POST ${path}`, { key, body });
      expect(answer.status, path).toBeLessThan(300);
      return answer;
    };
    const target = { displayName: 'e', providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 64 };
    const { embedderId } = (await post(one, '/v1/embedders', target)).json;
    const { spaceId } = (await post(two, '/v1/spaces', { name: 'shared', embedderId })).json;
    const content = 'The boiler was serviced on 3 March.';
    const memory = { spaceId, contentType: 'text/plain', originalContent: content };
    const { memoryId } = (await post(one, '/v1/memories?waitMs=60000', memory)).json;
    const expectFound = async (server: TestServer) => {
      const question = { message: 'boiler', spaceKeys: [{ spaceId }] };
      expect((await post(server, '/v1/memories:retrieve', question)).text).toContain(`"chunkText":"${content}"`);
      expect((await raw(server, `/v1/memories/${memoryId}/content`, { key })).text).toBe(content);
      const list = await raw(server, `/v1/spaces/${spaceId}/memories`, { key });
      expect(list.json.memories).toMatchObject([{ memoryId, processingStatus: 'COMPLETED' }]);
    };
    await expectFound(two);
    await Promise.all([one.end(), two.end()]);
    await expectFound(await serve(real.serverFlags));
  });
}
