import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDataDirectory } from '../../support/data-root.ts';
import { fillDataDirectory } from '../../support/database.ts';
import { runSvc, startServer } from '../../support/server.ts';

let dataDir = '';
beforeAll(async () => {
  dataDir = await makeDataDirectory();
  await fillDataDirectory(dataDir);
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const serve = (flags: readonly string[], env: Record<string, string> = {}) => runSvc(['serve', ...flags], { env });

test('all configuration errors are reported at once, with flag, variable and source; exit 78', async () => {
  const { code, stdout, stderr } = await serve(
    ['--rest-port', 'nope', '--grpc-port', '70000', '--embedded', '--db-url', 'postgresql://a:b@h/d'],
    { SERVICE_RATE_LIMIT_MAX: '-1' },
  );
  expect(code).toBe(78);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^The configuration has [4-9] problems:/);
  for (const word of ['--rest-port', 'SERVICE_REST_PORT', '--grpc-port', '--db-url', 'SERVICE_RATE_LIMIT_MAX']) {
    expect(stderr).toContain(word);
  }
  expect(stderr).not.toMatch(/\bat .+\(|node:/);
});

test('a database is required', async () => {
  const { code, stderr } = await serve([]);
  expect(code).toBe(78);
  expect(stderr).toMatch(/--db-url/);
});

test('TLS options with TLS disabled are refused', async () => {
  const flags = ['--embedded', '--data-dir', dataDir, '--tls-disabled', '--tls-self-signed-hostnames', 'localhost'];
  const { code, stderr } = await serve(flags);
  expect(code).toBe(78);
  expect(stderr).toContain('--tls-self-signed-hostnames');
});

test('certificate files that cannot be used are named, together with everything else', async () => {
  const files = ['--tls-cert-file', join(dataDir, 'no.crt'), '--tls-key-file', join(dataDir, 'no.key')];
  const { code, stderr } = await serve(['--embedded', '--data-dir', dataDir, ...files]);
  expect(code).toBe(78);
  expect(stderr).toContain('no.crt: there is no such file');
  expect(stderr).toContain('no.key: there is no such file');
  const flags = ['--embedded', '--rest-port', 'x', ...files, '--post-processor-module', './missing.mjs'];
  expect((await serve(flags)).stderr).toMatch(
    /^The configuration has 3 problems:\n.*--rest-port.*\n.*no\.crt.*\n.*no\.key.*\n$/,
  );
  const mended = await serve(['--check', '--embedded', ...files, '--post-processor-module', './missing.mjs']);
  expect(mended.stderr).toMatch(/^The configuration has 3 problems:\n.*no\.crt.*\n.*no\.key.*\n.*missing\.mjs.*\n$/);
});

test('--check validates the configuration and starts nothing', async () => {
  const good = await serve(['--check', '--embedded', '--data-dir', dataDir]);
  expect(good).toMatchObject({ code: 0, stderr: expect.not.stringContaining('problem') });
  expect(good.stdout).toMatch(/\S/);
  const bad = await serve(['--check', '--embedded', '--data-dir', dataDir, '--rest-port', 'x']);
  expect(bad.code).toBe(78);
  expect(bad.stderr).toContain('--rest-port');
});

test('--print-config shows every value and no secret', async () => {
  const secrets = {
    password: 'hunter2-hunter2',
    key: Buffer.alloc(32, 9).toString('base64'),
    token: 'init-token-5577',
    metrics: 'metrics-secret-5577',
  };
  const { code, stdout, stderr } = await serve(
    ['--print-config', '--db-url', `postgresql://ada:${secrets.password}@h/d`, '--secrets-key', secrets.key],
    { SERVICE_INIT_TOKEN: secrets.token, SERVICE_METRICS_SECRET: secrets.metrics },
  );
  expect(code).toBe(0);
  for (const secret of Object.values(secrets)) expect(stdout + stderr).not.toContain(secret);
  for (const word of ['--rest-port', 'SERVICE_REST_PORT', '8080', '--init-token', '--db-url']) {
    expect(stdout).toContain(word);
  }
});

test.each([
  [['--rest-port', 'x'], '--rest-port'],
  [
    ['--tls-cert-file', '/nonexistent/server.crt', '--tls-key-file', '/nonexistent/server.key'],
    '/nonexistent/server.crt',
  ],
  [['--post-processor-module', './missing.mjs'], './missing.mjs'],
])('--print-config prints nothing of a configuration that cannot start: %j; exit 78', async (flags, word) => {
  const { code, stdout, stderr } = await serve(['--print-config', '--embedded', '--data-dir', dataDir, ...flags]);
  expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
  expect(stderr).toMatch(/^The configuration has/);
  expect(stderr).toContain(word);
});

test('the first log line names the version and database, before warnings and readiness', async () => {
  const server = await startServer({ databaseFlags: ['--embedded', '--data-dir', dataDir] });
  expect(await server.end()).toBe(0);
  const logs = server.logs as { level: string; msg: string }[];
  expect(logs[0]).toMatchObject({
    level: 'info',
    msg: expect.stringMatching(/^svc [\d.]+ starts on embedded PostgreSQL in \//),
  });
  expect(logs[0]?.msg.endsWith(dataDir)).toBe(true);
  expect(logs.map(({ msg }) => msg)).toEqual(
    expect.arrayContaining([expect.stringContaining('built-in secret'), 'ready']),
  );
});

test.each(['--rest-port', '--grpc-port'])(
  'a port of %s that is in use is reported in a sentence; exit 78',
  async (flag) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const ports = { '--rest-port': '0', '--grpc-port': '0', [flag]: String(port) };
    const flags = ['--embedded', '--data-dir', dataDir, '--tls-disabled', ...Object.entries(ports).flat()];
    const { code, stderr } = await serve(flags);
    taken.close();
    expect(code).toBe(78);
    expect(stderr).toContain(String(port));
    expect(stderr).toMatch(/--rest-port|--grpc-port/);
    expect(stderr).not.toMatch(/\bat .+\(|node:/);
  },
);
