import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { raw } from '../../support/raw-rest.ts';
import { startServer, type TestServer } from '../../support/server.ts';

let directory: string;
let database: TestDatabase;
let server: TestServer;
let key: string;

const put = (name: string, text: string) => writeFile(join(directory, name), text);

/** One server for all: with a bad license, a certificate that ends soon, and the window of its limit on the command line. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-license-'));
  const { cert, private: privateKey } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    notAfterDate: new Date(Date.now() + 9.5 * 86_400_000),
  });
  await put('cert.pem', cert);
  await put('key.pem', privateKey);
  await put('license.json', '{"version":1,"rateLimit":{"max":"many"}}');
  database = await createTestDatabase();
  const certificate = ['--tls-cert-file', join(directory, 'cert.pem'), '--tls-key-file', join(directory, 'key.pem')];
  server = await startServer({
    databaseFlags: database.serverFlags,
    flags: ['--license-dir', directory, '--rest-tls-enabled=false', ...certificate, '--rate-limit-window-s', '86400'],
  });
  key = await server.init();
});
afterAll(async () => {
  await server?.end();
  await database?.drop();
  await rm(directory, { recursive: true });
});

const reload = async () => (await raw(server, 'POST /v1/admin/license:reload', { key })).json;
const limits = async () => {
  const { headers } = await raw(server, '/v1/system/info', { key });
  return ['limit', 'remaining'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
};

test('an invalid license at the start is logged, and the defaults apply', async () => {
  const warnings = server.logs.filter((line) => (line as { level?: string }).level === 'warn');
  expect(warnings).toContainEqual(
    expect.objectContaining({ msg: expect.stringContaining('license.json: rateLimit.max: must be an integer') }),
  );
  const [limit, remaining = 0] = await limits();
  expect(limit).toBe(600);
  expect(remaining).toBeLessThan(600);
});

test('a reload applies the limit of the file and restarts the counters; flags override the file', async () => {
  await put('license.json', '{"version":1,"rateLimit":{"max":50,"windowSeconds":1}}');
  expect(await reload()).toMatchObject({ status: 'LOADED', activeLicense: { filename: 'license.json' } });
  // The window of the flag is a day: within the file's second the count could have begun anew by itself.
  expect(await limits()).toEqual([50, 49]);
  expect(await reload()).toMatchObject({ status: 'UNCHANGED' });
  expect(await limits()).toEqual([50, 47]);
  await put('license.json', '{"version":1,"rateLimit":{"max":0}}');
  expect(await reload()).toMatchObject({ status: 'LOADED' });
  expect((await raw(server, '/v1/system/info', { key })).headers.has('x-ratelimit-limit')).toBe(false);
  await rm(join(directory, 'license.json'));
  expect(await reload()).toMatchObject({ status: 'NOT_FOUND' });
  expect(await limits()).toEqual([600, 599]);
});

test('the diagnosis sees the certificate that is in use', async () => {
  const { json } = await raw(server, '/v1/system/diagnosis', { key });
  expect(json.checks).toContainEqual({
    name: 'tls_expiry',
    status: 'WARN',
    message: 'The certificate expires in 9 days',
    remedy: 'Replace the files of --tls-cert-file and --tls-key-file, then restart',
  });
});
