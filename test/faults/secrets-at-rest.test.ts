import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { raw } from '../support/raw-rest.ts';
import { startServer, type TestServer } from '../support/server.ts';

const SECRET = 'sk-0123456789-never-in-the-clear';
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');
const SEEN = 'a name that is stored as it is';

let database: TestDatabase;
let server: TestServer | undefined;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await server?.end('SIGKILL');
  await database.drop();
});

/** Every row of every table, as text. */
async function dump(): Promise<string> {
  const { main } = await database.connect();
  const tables = await main.query<{ name: string }>({
    name: 'test_tables',
    text: `select format('%I', relname) as name from pg_class
      where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`,
  });
  const rows: string[] = [];
  for (const { name } of tables) {
    const text = `select coalesce(string_agg(t::text, chr(10)), '') as text from ${name} t`;
    const [row] = await main.query<{ text: string }>({ name: 'test_dump', text, prepare: false });
    rows.push(row?.text ?? '');
  }
  return rows.join('\n');
}

test('the database holds no readable secret: neither credentials, nor keys, nor the secrets key', async () => {
  server = await startServer({ databaseFlags: database.serverFlags, flags: ['--secrets-key', SECRETS_KEY] });
  const root = await server.init();
  const made = await raw(server, 'POST /v1/apikeys', { key: root, body: {} });
  const target = {
    displayName: SEEN,
    endpointUrl: 'http://127.0.0.1:1/v1',
    modelIdentifier: 'm',
    credentials: { kind: 'CREDENTIAL_KIND_API_KEY', apiKey: { inlineSecret: SECRET } },
  };
  for (const [path, more] of [
    ['embedders', { providerType: 'OPENAI', dimensionality: 3 }],
    ['llms', { providerType: 'OPENAI' }],
    ['rerankers', { providerType: 'COHERE' }],
  ] as const) {
    const { status } = await raw(server, `POST /v1/${path}`, { key: root, body: { ...target, ...more } });
    expect(status).toBe(201);
  }
  expect(await server.end()).toBe(0);
  const text = await dump();
  expect(text.split(SEEN).length - 1).toBe(3);
  for (const secret of [SECRET, root, made.json.rawApiKey as string, SECRETS_KEY]) {
    const bytes = Buffer.from(secret);
    for (const form of [secret, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, '')]) {
      expect(text.includes(form), `the database holds ${form}`).toBe(false);
    }
  }
  expect(text).not.toContain(Buffer.from(SECRETS_KEY, 'base64').toString('hex'));
  const logs = JSON.stringify(server.logs);
  for (const secret of [SECRET, root, made.json.rawApiKey as string, SECRETS_KEY]) expect(logs).not.toContain(secret);
});
