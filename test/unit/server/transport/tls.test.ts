import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ParsedFlags } from '../../../../src/server/settings/given.ts';
import { createSelfSignedCertificate } from '../../../../src/server/transport/certificate.ts';
import { resolveTls } from '../../../../src/server/transport/tls.ts';
import { DAY_MS } from '../../../../src/shared/time.ts';
import { loadSettings } from '../settings/settings.fixture.ts';
import { handshake, present, useFewKeys } from './tls.fixture.ts';

const fromNow = (days: number) => new Date(Date.now() + days * DAY_MS);

useFewKeys();

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-tls-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const resolve = (flags: ParsedFlags) =>
  resolveTls(loadSettings({ flags: { embedded: true, dataDir: join(dir, 'none'), ...flags }, env: {} }));
const external = { embedded: 'false', dbUrl: 'postgresql://svc:hush@db/svc' };

describe('without files', () => {
  it('one generated certificate serves both endpoints', async () => {
    const tls = await resolve({});
    expect(tls.selfSigned).toBe(true);
    expect(tls.rest).toBe(tls.grpc);
    expect(tls.rest?.requestCert).toBe(false);
    const { rest, fingerprint256 } = tls;
    const ca = present(rest).cert;
    const seen = await handshake(present(rest), { ca, servername: 'localhost' });
    expect(seen).toEqual({ protocol: 'TLSv1.3', fingerprint: fingerprint256 });
    await handshake(present(rest), { ca });
    await expect(handshake(present(rest), { ca, servername: 'other' })).rejects.toThrow(/Hostname\/IP does not match/);
    await expect(handshake(present(rest), { servername: 'localhost' })).rejects.toThrow(/self-signed certificate/);
    expect(tls.expiresAt?.getTime()).toBe(new Date(new X509Certificate(ca).validTo).getTime());
  });

  it('with an external database every start makes another certificate, and says how to supply one', async () => {
    const [first, second] = await Promise.all([resolve(external), resolve(external)]);
    expect(first.fingerprint256).not.toBe(second.fingerprint256);
    expect(first.warnings).toEqual([expect.stringMatching(/replaced at every start.*--tls-cert-file/)]);
    expect(first.keptIn).toBeUndefined();
  });

  it('it has the requested host names', async () => {
    const { rest } = await resolve({ tlsSelfSignedHostnames: 'memory.example.com,::1' });
    const { subjectAltName } = new X509Certificate(present(rest).cert);
    expect(subjectAltName).toBe('DNS:memory.example.com, IP Address:0:0:0:0:0:0:0:1');
  });

  it('only the endpoints with TLS get it', async () => {
    const grpcOnly = await resolve({ restTlsEnabled: 'false' });
    expect([grpcOnly.rest, grpcOnly.grpc?.minVersion]).toEqual([undefined, 'TLSv1.2']);
    const restOnly = await resolve({ grpcTlsEnabled: 'false' });
    expect([restOnly.rest?.minVersion, restOnly.grpc]).toEqual(['TLSv1.2', undefined]);
    expect(await resolve({ tlsDisabled: true })).toEqual({
      rest: undefined,
      grpc: undefined,
      fingerprint256: undefined,
      expiresAt: undefined,
      selfSigned: false,
      keptIn: undefined,
      warnings: [],
      keep: expect.any(Function),
    });
  });

  it('TLS 1.2 is spoken and TLS 1.1 is not', async () => {
    const material = present((await resolve({})).rest);
    const old = { ca: material.cert, servername: 'localhost', ciphers: 'DEFAULT@SECLEVEL=0' };
    expect(await handshake(material, { ...old, maxVersion: 'TLSv1.2' })).toMatchObject({ protocol: 'TLSv1.2' });
    const refused = handshake(material, { ...old, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' });
    await expect(refused).rejects.toThrow(/protocol version/);
  });
});

describe('kept in the data directory', () => {
  /** A data directory of its own, and starts on it that keep what they make. */
  async function scene() {
    const dataDir = await mkdtemp(join(dir, 'data-'));
    const start = async (flags: ParsedFlags = {}) => {
      const tls = await resolve({ dataDir, ...flags });
      await tls.keep();
      return tls;
    };
    return { file: join(dataDir, 'self-signed.pem'), start };
  }

  it('one certificate and key serve every start, with mode 0600', async () => {
    const { file, start } = await scene();
    const first = await start();
    const second = await start();
    expect(second.fingerprint256).toBe(first.fingerprint256);
    expect([first.selfSigned, second.selfSigned, second.keptIn]).toEqual([true, true, file]);
    await handshake(present(second.rest), { ca: present(first.rest).cert, servername: 'localhost' });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(file))).toEqual(['self-signed.pem']);
    expect([first.warnings, second.warnings]).toEqual([[], []]);
  });

  it('nothing is written before the data directory is locked', async () => {
    const { file } = await scene();
    await resolve({ dataDir: dirname(file) });
    expect(await readdir(dirname(file))).toEqual([]);
  });

  it.each([
    ['one more', 'localhost,127.0.0.1,::1,memory.lan'],
    ['one less', 'localhost,127.0.0.1'],
    ['another', 'localhost,127.0.0.1,::2'],
  ])('other host names get another certificate: %s', async (_, tlsSelfSignedHostnames) => {
    const { start } = await scene();
    const first = await start();
    const second = await start({ tlsSelfSignedHostnames });
    expect(second.fingerprint256).not.toBe(first.fingerprint256);
    expect((await start({ tlsSelfSignedHostnames })).fingerprint256).toBe(second.fingerprint256);
  });

  it.each([
    ['an IPv4 address as IPv6', '::ffff:1.2.3.4,localhost'],
    ['one in hexadecimal', '::FFFF:102:304'],
    ['every zero of an IPv6 address', '0:0:0:0:0:0:0:1,2001:DB8:0::0005'],
    ['one address twice', '::1,0::1,1.2.3.4,::ffff:1.2.3.4'],
    ['capital letters', 'Memory.LAN'],
  ])('in any notation: %s', async (_, tlsSelfSignedHostnames) => {
    const { start } = await scene();
    const first = await start({ tlsSelfSignedHostnames });
    expect((await start({ tlsSelfSignedHostnames })).fingerprint256).toBe(first.fingerprint256);
  });

  it('the same host names in another order keep it', async () => {
    const { start } = await scene();
    const { fingerprint256 } = await start();
    expect((await start({ tlsSelfSignedHostnames: '::1,LOCALHOST,127.0.0.1' })).fingerprint256).toBe(fingerprint256);
  });

  it.each([
    [31, true],
    [29, false],
    [-1, false],
    [400, false],
  ])('with %i days left it is kept: %s', async (days, stays) => {
    const { file, start } = await scene();
    const madeAt = new Date(fromNow(days).getTime() - 365 * DAY_MS);
    const { certPem, keyPem } = await createSelfSignedCertificate(['localhost', '127.0.0.1', '::1'], madeAt);
    await writeFile(file, certPem + keyPem);
    const { fingerprint256, warnings } = await start();
    expect(fingerprint256 === new X509Certificate(certPem).fingerprint256).toBe(stays);
    expect(warnings).toEqual([]);
  });

  it.each(['', 'no PEM', 'cut short', 'the key of another'])(
    'an unusable certificate is replaced, with a log line: %s',
    async (text) => {
      const { file, start } = await scene();
      const { rest } = await start();
      const { cert, key } = present(rest);
      const other = present((await resolve({})).rest);
      const contents: Record<string, string> = {
        'cut short': cert + key.slice(0, 300),
        'the key of another': cert + other.key,
      };
      await writeFile(file, contents[text] ?? text);
      const { fingerprint256, warnings } = await start();
      expect(warnings).toEqual([
        `The kept certificate ${file} cannot be used (it does not contain a certificate and its key); a new one replaces it.`,
      ]);
      expect((await start()).fingerprint256).toBe(fingerprint256);
    },
  );

  it('an unreadable file is logged, and an unwritable one fails', async () => {
    const { file, start } = await scene();
    await mkdir(file);
    const tls = await resolve({ dataDir: dirname(file) });
    expect(tls.warnings).toEqual([expect.stringContaining('EISDIR')]);
    await expect(start()).rejects.toThrow();
    expect(await readdir(dirname(file))).toEqual(['self-signed.pem']);
  });
});
