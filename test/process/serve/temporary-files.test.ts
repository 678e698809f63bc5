import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { startServer, type TestServer } from '../../support/server.ts';

let database: TestDatabase;
/** The temporary folder of the servers. */
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'svc-temporary-'));
});
afterAll(async () => {
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

const start = () => startServer({ databaseFlags: database.serverFlags, env: { TMPDIR: folder } });
const directories = async () => (await readdir(folder)).filter((name) => /^svc-(db|upload)-/.test(name)).sort();
/** Those whose owner has locked them: of others nobody can tell at once whether it still runs. */
const locked = async () => {
  const found = await Promise.all((await uploads()).map((name) => readdir(join(folder, name))));
  return found.filter((files) => files.includes('server.lock'));
};
const uploads = async () => (await directories()).filter((name) => name.startsWith('svc-upload-'));

/** Sends a file in front of the part that describes it, which therefore waits on disk, and stops in the middle of it. */
async function beginUpload({ rest }: TestServer, key: string) {
  const { hostname, port } = new URL(rest);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    'POST /v1/memories HTTP/1.1',
    'host: x',
    `x-api-key: ${key}`,
    'content-type: multipart/form-data; boundary=b',
    'content-length: 1000000',
  ];
  const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nabc';
  socket.write(`${head.join('\r\n')}\r\n\r\n${part}`);
  return socket;
}

test('temporary files of a killed server are removed at the next start', async () => {
  const killed = await start();
  const key = await killed.init();
  const upload = await beginUpload(killed, key);
  await expect.poll(locked).toHaveLength(1);
  await killed.end('SIGKILL');
  upload.destroy();
  const left = await directories();
  expect(left.length).toBeGreaterThanOrEqual(1);

  const next = await start();
  await expect.poll(async () => (await directories()).filter((name) => left.includes(name))).toEqual([]);
  // What is under way stays, and goes with the request.
  const other = await beginUpload(next, key);
  await expect.poll(uploads).toHaveLength(1);
  other.destroy();
  await expect.poll(uploads).toEqual([]);
  expect(await next.end()).toBe(0);
  expect(await directories()).toEqual([]);
});
