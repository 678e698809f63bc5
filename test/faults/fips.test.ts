import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { createSelfSignedCertificate } from '../../src/server/transport/certificate.ts';
import { createTestDatabase } from '../support/database.ts';
import { runSvc, startServer } from '../support/server.ts';

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('without a provider', () => {
  const NO_PROVIDER = { OPENSSL_CONF: '/dev/null', OPENSSL_MODULES: '/nonexistent' };

  test.each([[['--check']], [['--print-config']], [[]]])(
    'FIPS mode is refused in a sentence, with %j; exit 78',
    async (action) => {
      const flags = ['--embedded', '--data-dir', '/nonexistent/svc', '--fips-mode-enabled', '--tls-disabled'];
      const { code, stdout, stderr } = await runSvc(['serve', ...action, ...flags], { env: NO_PROVIDER });
      expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
      expect(stderr).toBe(
        'The configuration has 1 problem:\n' +
          '  --fips-mode-enabled / SERVICE_FIPS_MODE_ENABLED (flag --fips-mode-enabled): the crypto library of this Node.js ' +
          'has no usable FIPS provider; set up an OpenSSL FIPS provider (OPENSSL_CONF, OPENSSL_MODULES), or leave FIPS mode off\n',
      );
    },
  );
});

/** Where `test/support/fips up` puts a provider. */
const PROVIDER = process.env.SVC_FIPS_ROOT ?? '/opt/svc-fips';
const WITH_PROVIDER = { OPENSSL_CONF: join(PROVIDER, 'openssl.cnf'), OPENSSL_MODULES: PROVIDER };

function hasProvider(): boolean {
  if (existsSync(WITH_PROVIDER.OPENSSL_CONF)) return true;
  if (process.env.SVC_TEST_TOOLS === 'required') throw new Error('there is no FIPS provider: run test/support/fips up');
  console.warn('There is no FIPS provider (test/support/fips up installs one): its tests are left out');
  return false;
}

describe.runIf(hasProvider())('with a provider', () => {
  test('a server does its work in FIPS mode, over TLS with a supplied certificate', async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const password = database.kind === 'postgres' ? ['--db-password', 'fourteen characters'] : [];
    const server = await startServer({
      databaseFlags: [...database.serverFlags, ...password],
      flags: ['--fips-mode-enabled', '--rest-tls-enabled=false', ...(await certificateFlags())],
      env: WITH_PROVIDER,
    });
    cleanups.push(() => server.end());
    const key = await server.init();
    const post = async (path: string, body: object) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const response = await fetch(`${server.rest}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(response.status, path).toBeLessThan(300);
      return response;
    };
    const { rawApiKey } = (await (await post('/v1/apikeys', {})).json()) as { rawApiKey: string };
    const spaces = await fetch(`${server.rest}/v1/spaces`, { headers: { 'x-api-key': rawApiKey } });
    expect(spaces.status).toBe(200);
    // Only the embedded database brings an embedder along.
    if (database.kind === 'embedded') {
      const { spaceId } = (await (await post('/v1/spaces', { name: 'house' })).json()) as { spaceId: string };
      const text = 'The boiler was serviced on 3 March by Anna.';
      await post('/v1/memories?waitMs=60000', { spaceId, contentType: 'text/plain', originalContent: text });
      const question = { message: 'when was the boiler serviced?', spaceKeys: [{ spaceId }] };
      expect(await (await post('/v1/memories:retrieve', question)).text()).toContain(text);
    }
    expect(await suiteOf(server.grpc)).toBe('TLS_AES_256_GCM_SHA384');
    await expect(suiteOf(server.grpc, 'ECDHE-RSA-CHACHA20-POLY1305')).rejects.toThrow();
    expect(await server.end()).toBe(0);
  });

  test('a process that used the library before cannot be put into FIPS mode half-way', async () => {
    const script = `
      import { createHash } from 'node:crypto';
      import { activateFips } from './src/server/settings/fips.ts';
      if (process.env.USED) createHash('md5');
      console.log(JSON.stringify(activateFips() ?? null));`;
    const run = async (env: Record<string, string>) => {
      const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
      const { stdout } = await promisify(execFile)(process.execPath, args, {
        env: { ...process.env, ...WITH_PROVIDER, ...env },
      });
      return JSON.parse(stdout) as unknown;
    };
    expect(await run({})).toBeNull();
    expect(await run({ USED: '1' })).toMatchObject({ problem: expect.stringContaining('before FIPS mode was on') });
    expect(await run({ USED: '', NODE_OPTIONS: '--force-fips' })).toBeNull();
  });
});

async function certificateFlags(): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-fips-'));
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  const { certPem, keyPem } = await createSelfSignedCertificate(['127.0.0.1']);
  const [cert, key] = [join(directory, 'server.crt'), join(directory, 'server.key')];
  await Promise.all([writeFile(cert, certPem), writeFile(key, keyPem)]);
  return ['--tls-cert-file', cert, '--tls-key-file', key];
}

/** The suite that a gRPC port and a client agree on, which wants TLS 1.2 when it names one. */
async function suiteOf(address: string, suite?: string): Promise<string> {
  const { hostname, port } = new URL(address);
  const wish = suite === undefined ? {} : { ciphers: suite, maxVersion: 'TLSv1.2' as const };
  const socket = connect({
    host: hostname,
    port: Number(port),
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
    ...wish,
  });
  await once(socket, 'secureConnect');
  const { name } = socket.getCipher();
  socket.destroy();
  return name;
}
