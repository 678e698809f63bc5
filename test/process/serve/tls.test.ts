import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type DetailedPeerCertificate, getCiphers } from 'node:tls';
import { Client, credentials } from '@grpc/grpc-js';
import { afterEach, expect, test } from 'vitest';
import { createSelfSignedCertificate } from '../../../src/server/transport/certificate.ts';
import { createTestDatabase } from '../../support/database.ts';
import { grpcWire } from '../../support/grpc-wire.ts';
import { useOpened } from '../../support/opened.ts';
import { startServer, type TestServer } from '../../support/server.ts';

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** As a server is by default, for every test that only looks at it. */
const usual = useOpened(
  async () => {
    const database = await createTestDatabase();
    const flags = ['--tls-self-signed-hostnames', '127.0.0.1,localhost'];
    return { database, server: await startServer({ databaseFlags: database.serverFlags, flags }) };
  },
  async ({ database, server }) => {
    await server.end();
    await database.drop();
  },
);

async function serve(flags: readonly string[]): Promise<TestServer> {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const server = await startServer({ databaseFlags: database.serverFlags, flags });
  cleanups.push(() => server.end());
  return server;
}

/** The certificate that a port shows, taken without judging it. */
async function certificateOf(address: string, alpn: string): Promise<DetailedPeerCertificate> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: [alpn] });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerCertificate(true);
  socket.destroy();
  return certificate;
}

/** What a handshake agrees on with these wishes of the client; undefined when the server refuses it. */
async function agreed(address: string, wishes: ConnectionOptions) {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ...wishes });
  try {
    await once(socket, 'secureConnect');
    return { protocol: socket.getProtocol(), cipher: socket.getCipher().name };
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^ERR_SSL_|^ECONNRESET$/) });
    return undefined;
  } finally {
    socket.destroy();
  }
}

const pemOf = ({ raw }: DetailedPeerCertificate) =>
  `-----BEGIN CERTIFICATE-----\n${raw.toString('base64')}\n-----END CERTIFICATE-----\n`;

/** The status of a request that trusts this certificate and nothing else. */
function statusOf(url: string, ca: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ ca, keepAlive: false });
    request(url, { agent }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

async function grpcReaches(address: string, ca: string): Promise<boolean> {
  const client = new Client(new URL(address).host, credentials.createSsl(Buffer.from(ca)));
  try {
    return await new Promise((resolve) => {
      client.waitForReady(Date.now() + 5000, (error) => resolve(error === undefined));
    });
  } finally {
    client.close();
  }
}

test('TLS is on by default, with one certificate made for the hosts that were named', async () => {
  const { server } = usual;
  expect(server.rest).toMatch(/^https:/);
  expect(server.grpc).toMatch(/^https:/);
  const rest = await certificateOf(server.rest, 'http/1.1');
  const grpc = await certificateOf(server.grpc, 'h2');
  expect(grpc.fingerprint256).toBe(rest.fingerprint256);
  expect(rest.subjectaltname).toBe('IP Address:127.0.0.1, DNS:localhost');
  expect(await statusOf(`${server.rest}/readyz`, pemOf(rest))).toBe(200);
  expect(await grpcReaches(server.grpc, pemOf(rest))).toBe(true);
  await expect(fetch(`${server.rest}/readyz`)).rejects.toThrow();
  await expect(fetch(`${server.rest.replace('https:', 'http:')}/readyz`)).rejects.toThrow();
  expect(await statusOf(`${server.rest}/readyz`, pemOf(rest))).toBe(200);
});

test('a restart keeps the certificate in the data directory, or makes another one and says so', async () => {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const fingerprints: string[] = [];
  const logs: unknown[] = [];
  for (const _ of [1, 2]) {
    const server = await startServer({ databaseFlags: database.serverFlags, flags: ['--tls-self-signed-dev'] });
    cleanups.push(() => server.end());
    fingerprints.push((await certificateOf(server.rest, 'http/1.1')).fingerprint256);
    expect(await server.end()).toBe(0);
    logs.push(...server.logs);
  }
  const kept = database.kind === 'embedded';
  expect(new Set(fingerprints).size).toBe(kept ? 1 : 2);
  expect(JSON.stringify(logs).includes('replaced at every start')).toBe(!kept);
});

test('each side can be left in plaintext', async () => {
  const plainRest = await serve(['--rest-tls-enabled=false']);
  expect(plainRest.rest).toMatch(/^http:/);
  expect((await fetch(`${plainRest.rest}/readyz`)).status).toBe(200);
  const certificate = await certificateOf(plainRest.grpc, 'h2');
  expect(await grpcReaches(plainRest.grpc, pemOf(certificate))).toBe(true);
  await plainRest.end();
  const plainGrpc = await serve(['--grpc-tls-enabled=false']);
  expect([new URL(plainGrpc.rest).protocol, new URL(plainGrpc.grpc).protocol]).toEqual(['https:', 'http:']);
  const pem = pemOf(await certificateOf(plainGrpc.rest, 'http/1.1'));
  expect(await statusOf(`${plainGrpc.rest}/readyz`, pem)).toBe(200);
  expect(await agreed(plainGrpc.grpc, { ALPNProtocols: ['h2'] })).toBeUndefined();
  const client = grpcWire(plainGrpc.grpc);
  expect(await client.call('getSystemInfo', {})).toMatchObject({ ok: true });
  client.close();
});

test('both ports take suites with forward secrecy and authenticated encryption only, from TLS 1.2 on', async () => {
  const { server } = usual;
  // Suites with a pre-shared key or a password are nothing that a client can ask for without one.
  const suites = getCiphers().filter((name) => !/^tls_|psk|srp/.test(name));
  expect(suites).toEqual(
    expect.arrayContaining(['aes128-gcm-sha256', 'ecdhe-rsa-aes128-sha', 'dhe-rsa-aes128-gcm-sha256']),
  );
  for (const [address, protocol] of [
    [server.rest, 'http/1.1'],
    [server.grpc, 'h2'],
  ] as const) {
    const ask = (wishes: ConnectionOptions) => agreed(address, { ALPNProtocols: [protocol], ...wishes });
    const taken: string[] = [];
    for (const suite of suites) {
      const seen = await ask({ ciphers: `${suite.toUpperCase()}:@SECLEVEL=0`, maxVersion: 'TLSv1.2' });
      if (seen !== undefined) taken.push(seen.cipher);
    }
    expect(taken.sort()).toEqual([
      'ECDHE-RSA-AES128-GCM-SHA256',
      'ECDHE-RSA-AES256-GCM-SHA384',
      'ECDHE-RSA-CHACHA20-POLY1305',
    ]);
    const old = { ciphers: 'ALL:@SECLEVEL=0', minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
    expect(await ask(old)).toBeUndefined();
    expect(await ask({})).toEqual({ protocol: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384' });
  }
});

test('a supplied certificate is the one that is shown', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-tls-'));
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  const { certPem, keyPem } = await createSelfSignedCertificate(['127.0.0.1']);
  const [cert, key] = [join(directory, 'server.crt'), join(directory, 'server.key')];
  await Promise.all([writeFile(cert, certPem), writeFile(key, keyPem)]);
  const server = await serve(['--tls-cert-file', cert, '--tls-key-file', key]);
  expect(await statusOf(`${server.rest}/readyz`, certPem)).toBe(200);
  expect(await grpcReaches(server.grpc, certPem)).toBe(true);
  // Other files are for the next start.
  const other = await createSelfSignedCertificate(['127.0.0.1']);
  await Promise.all([writeFile(cert, other.certPem), writeFile(key, other.keyPem)]);
  expect(await statusOf(`${server.rest}/readyz`, certPem)).toBe(200);
  expect(await grpcReaches(server.grpc, certPem)).toBe(true);
});
