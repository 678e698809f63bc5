import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { createSelfSignedCertificate } from '../../src/server/transport/certificate.ts';
import { createTestDatabase } from '../support/database.ts';
import { hasFipsProvider, WITH_PROVIDER } from '../support/fips-provider.ts';
import { startServer } from '../support/server.ts';

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test.runIf(hasFipsProvider())('a server does its work in FIPS mode, over TLS with a supplied certificate', async () => {
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
