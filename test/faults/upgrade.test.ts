import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { OpenAiStandIn } from '../support/stand-ins/openai.ts';
import { type Client, connect } from '../upgrade/client.ts';
import { type Expected, steady } from '../upgrade/expected.ts';
import { OPENAI_DIMENSIONS, PROVIDER_SECRET, SECRETS_KEY } from '../upgrade/secrets.ts';

const DUMPS = new URL('../upgrade/', import.meta.url);
const WAIT_MS = 60_000;
const FAILURE = 'Unsupported content type: application/x-thing';

const versions = readdirSync(DUMPS).flatMap((name) => /^schema-(\d{4})\.sql$/.exec(name)?.[1] ?? []);

describe.each(versions)('a database of schema %s', (version) => {
  const read = (ending: string) => readFileSync(new URL(`schema-${version}.${ending}`, DUMPS), 'utf8');
  const expected = JSON.parse(read('json')) as Expected;
  let database: TestDatabase;
  let standIn: OpenAiStandIn;
  let server: TestServer;
  let root: Client;

  beforeAll(async () => {
    standIn = await OpenAiStandIn.start({ dimensions: OPENAI_DIMENSIONS });
    standIn.requiredHeader = { name: 'Authorization', value: `Bearer ${PROVIDER_SECRET}` };
    database = await createTestDatabase({ migrated: false });
    const db = await database.connect();
    await db.main.script(read('sql'));
    // Jobs run as soon as the server does, and the stand-in is at another address than when the dump was made.
    await db.main.execute(
      { name: 'test', text: 'update public.embedder set endpoint_url = $1 where embedder_id = $2' },
      [`${standIn.url}/v1`, expected.openAiEmbedderId],
    );
    await db.close();
    server = await startServer({
      databaseFlags: database.serverFlags,
      flags: ['--secrets-key', SECRETS_KEY, '--rate-limit-max', '0', '--job-lease-s', '1'],
    });
    root = connect(server.rest, expected.rootKey);
  });
  afterAll(async () => {
    const code = await server?.end();
    await standIn?.close();
    await database?.drop();
    if (server !== undefined) expect(code).toBe(0);
  });

  test.each(Object.entries(expected.keys))('the key %s is unchanged', async (_name, { raw, status, email }) => {
    const response = await fetch(`${server.rest}/v1/users/me`, { headers: { 'x-api-key': raw } });
    expect(response.status).toBe(status);
    if (email !== null) expect(await response.json()).toMatchObject({ email });
  });

  test('a restricted key still reads its space and nothing else', async () => {
    const spaces = Object.keys(expected.records).filter((path) => path.startsWith('/v1/spaces/'));
    const { raw = '' } = expected.keys.restricted ?? {};
    const statuses = await Promise.all(
      spaces.map(async (path) => (await fetch(`${server.rest}${path}`, { headers: { 'x-api-key': raw } })).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  test.each(Object.keys(expected.records))('%s reads as before', async (path) => {
    const moved = path.endsWith(expected.openAiEmbedderId) ? { endpointUrl: `${standIn.url}/v1` } : {};
    const since = path.startsWith('/v1/spaces/') ? { giveUpAfterMinutes: 60 } : {};
    expect(steady(await root.get(path))).toEqual({ ...expected.records[path], ...moved, ...since });
  });

  test('memories read as before, with content, history and text', async () => {
    for (const { record, text } of expected.memories) {
      const path = `/v1/memories/${record.memoryId}`;
      // What stood in the history alone stands in the record since.
      const since = record.processingStatus === 'FAILED' ? { failureReason: FAILURE } : {};
      const read = await root.get(`${path}?includeContent=true&includeProcessingHistory=true`);
      expect(read).toEqual({ ...record, ...since });
      expect(await root.text(`${path}/text`)).toBe(text);
      expect(await root.text(`${path}/content`)).toBe(Buffer.from(record.originalContent, 'base64').toString());
    }
  });

  test('every space lists its memories', async () => {
    const listed: string[] = [];
    for (const path of Object.keys(expected.records).filter((name) => name.startsWith('/v1/spaces/'))) {
      const { memories } = await root.get(`${path}/memories`);
      listed.push(...memories.map(({ memoryId }: { memoryId: string }) => memoryId));
    }
    const known = [
      ...expected.memories.map(({ record }) => record.memoryId),
      ...expected.unfinished.map((m) => m.memoryId),
    ];
    expect(listed.sort()).toEqual(known.sort());
  });

  // The sealed secret opens here: the stand-in answers nobody else.
  test('unfinished memories are processed, by the embedder with its sealed secret', async () => {
    expect(expected.unfinished.map(({ status }) => status)).toEqual(['PENDING', 'PROCESSING']);
    for (const { memoryId, text } of expected.unfinished) {
      const status = async () => (await root.get(`/v1/memories/${memoryId}`)).processingStatus as string;
      for (const end = Date.now() + WAIT_MS; (await status()) !== 'COMPLETED' && Date.now() < end; ) await sleep(50);
      expect(await status()).toBe('COMPLETED');
      expect(await root.text(`/v1/memories/${memoryId}/text`)).toBe(text);
    }
  });

  test('retrieval returns the same results in the same order', async () => {
    for (const { request, chunkIds } of expected.retrievals) {
      expect(chunkIds.length).toBeGreaterThan(0);
      // What has been processed since may stand between.
      const found = await root.retrieve({ ...request, requestedSize: chunkIds.length + expected.unfinished.length });
      const known = new Set(chunkIds);
      expect(found.filter((id) => known.has(id))).toEqual(chunkIds);
    }
  });
});
