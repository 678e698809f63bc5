import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ConnectionOptions, connect, createServer, type TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ParsedFlags } from '../../../../src/server/settings/given.ts';
import { SettingsError } from '../../../../src/server/settings/settings-error.ts';
import { createSelfSignedCertificate } from '../../../../src/server/transport/certificate.ts';
import { resolveTls, type TlsMaterial } from '../../../../src/server/transport/tls.ts';
import { loadSettings } from '../settings/settings.fixture.ts';

const ATTRIBUTES = [{ name: 'commonName', value: 'localhost' }];
const DAY_MS = 86_400_000;
const fromNow = (days: number) => new Date(Date.now() + days * DAY_MS);

let dir: string;
let authority: { private: string; cert: string };
let issued: { private: string; cert: string };

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-tls-'));
  const extensions = [
    { name: 'basicConstraints' as const, cA: true, critical: true },
    { name: 'keyUsage' as const, keyCertSign: true, critical: true },
  ];
  authority = await generate([{ name: 'commonName', value: 'Test CA' }], { algorithm: 'sha256', extensions });
  const ca = { key: authority.private, cert: authority.cert };
  issued = await generate(ATTRIBUTES, { algorithm: 'sha256', ca });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const resolve = (flags: ParsedFlags) =>
  resolveTls(loadSettings({ flags: { embedded: true, dataDir: join(dir, 'none'), ...flags }, env: {} }));
const external = { embedded: 'false', dbUrl: 'postgresql://svc:hush@db/svc' };

async function write(name: string, text: string): Promise<string> {
  const file = join(dir, name);
  await writeFile(file, text);
  return file;
}

async function resolveFiles(cert: string, key: string) {
  return resolve({ tlsCertFile: await write('server.crt', cert), tlsKeyFile: await write('server.key', key) });
}

async function refusal(work: Promise<unknown>): Promise<SettingsError['problems']> {
  const error = await work.then(
    () => new Error('the files were accepted'),
    (reason: unknown) => reason,
  );
  if (error instanceof SettingsError) return error.problems;
  throw error;
}

/** Shakes hands with a server made of the material; resolves with what the client saw, rejects when it was refused. */
async function handshake(material: TlsMaterial, options: ConnectionOptions) {
  const server = createServer({ ...material }, (socket) => socket.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let client: TLSSocket | undefined;
  try {
    client = connect({ host: '127.0.0.1', port, ...options });
    await once(client, 'secureConnect');
    return { protocol: client.getProtocol(), fingerprint: client.getPeerCertificate().fingerprint256 };
  } finally {
    client?.destroy();
    server.close();
    await once(server, 'close');
  }
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is none');
  return value;
}

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

describe('supplied files', () => {
  it('serve as a chain with a PKCS#8 key', async () => {
    const tls = await resolveFiles(`${issued.cert}\n${authority.cert}`, issued.private);
    expect(issued.private).toContain('-----BEGIN PRIVATE KEY-----');
    expect([tls.selfSigned, tls.warnings]).toEqual([false, []]);
    const seen = await handshake(present(tls.rest), { ca: authority.cert, servername: 'localhost' });
    expect(seen.fingerprint).toBe(new X509Certificate(issued.cert).fingerprint256);
    expect(tls.fingerprint256).toBe(seen.fingerprint);
  });

  it('serve with a PKCS#1 key', async () => {
    const pkcs1 = createPrivateKey(issued.private).export({ type: 'pkcs1', format: 'pem' }).toString();
    expect(pkcs1).toContain('-----BEGIN RSA PRIVATE KEY-----');
    const tls = await resolveFiles(issued.cert, pkcs1);
    await handshake(present(tls.grpc), { ca: authority.cert, servername: 'localhost' });
  });

  it('serve with an elliptic key in PKCS#8', async () => {
    const elliptic = await generate(ATTRIBUTES, { algorithm: 'sha256', keyType: 'ec' });
    const tls = await resolveFiles(elliptic.cert, elliptic.private);
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      await handshake(present(tls.rest), { ca: elliptic.cert, servername: 'localhost', maxVersion });
    }
  });

  it('serve with a warning when the certificate has expired or is not valid yet', async () => {
    const dates = (from: number, to: number) => ({ notBeforeDate: fromNow(from), notAfterDate: fromNow(to) });
    const expired = await generate(ATTRIBUTES, { algorithm: 'sha256', keyType: 'ec', ...dates(-9, -1) });
    expect((await resolveFiles(expired.cert, expired.private)).warnings).toEqual([
      expect.stringContaining('expired at'),
    ]);
    const future = await generate(ATTRIBUTES, { algorithm: 'sha256', keyType: 'ec', ...dates(1, 9) });
    expect((await resolveFiles(future.cert, future.private)).warnings).toEqual([
      expect.stringContaining('not valid before'),
    ]);
  });
});

describe('supplied files are refused', () => {
  const problem = (text: string) => ({ problem: expect.stringContaining(text) });

  it('when they cannot be read, both at once', async () => {
    const problems = await refusal(resolve({ tlsCertFile: join(dir, 'missing.crt'), tlsKeyFile: dir }));
    expect(problems).toMatchObject([
      { flag: '--tls-cert-file', variable: 'SERVICE_TLS_CERT_FILE', source: 'flag --tls-cert-file' },
      { flag: '--tls-key-file', variable: 'SERVICE_TLS_KEY_FILE', source: 'flag --tls-key-file' },
    ]);
    expect(problems).toMatchObject([problem('there is no such file'), problem('it is a directory')]);
  });

  it('when they are far too large', async () => {
    const huge = await write('huge.crt', '');
    await truncate(huge, 1_048_577);
    const key = await write('good.key', issued.private);
    expect(await refusal(resolve({ tlsCertFile: huge, tlsKeyFile: key }))).toMatchObject([
      problem('larger than 1048576'),
    ]);
  });

  it('when they have the wrong content', async () => {
    expect(await refusal(resolveFiles(issued.private, issued.cert))).toMatchObject([
      problem('contains no PEM certificate'),
      problem('contains no PEM key in PKCS#1 or PKCS#8'),
    ]);
    const [head, ...body] = issued.cert.split('\n');
    const broken = [head, ...body.slice(3)].join('\n');
    expect(await refusal(resolveFiles(broken, issued.private))).toMatchObject([problem('certificate 1 in')]);
    const chain = `${issued.cert}\n${broken}`;
    expect(await refusal(resolveFiles(chain, issued.private))).toMatchObject([problem('certificate 2 in')]);
    const brokenKey = issued.private.replace(/\n.{20}/, '\n');
    expect(await refusal(resolveFiles(issued.cert, brokenKey))).toMatchObject([problem('cannot be read')]);
  });

  it('when the key is encrypted', async () => {
    const key = createPrivateKey(issued.private);
    const secured = { cipher: 'aes-256-cbc', passphrase: 'open sesame', format: 'pem' } as const;
    for (const type of ['pkcs8', 'pkcs1'] as const) {
      const encrypted = key.export({ ...secured, type }).toString();
      const problems = await refusal(resolveFiles(issued.cert, encrypted));
      expect(problems).toMatchObject([{ flag: '--tls-key-file', ...problem('is encrypted') }]);
      expect(problems[0]?.remedy).toContain('openssl pkcs8');
    }
  });

  it('when the key is neither PKCS#1 nor PKCS#8', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const sec1 = privateKey.export({ type: 'sec1', format: 'pem' }).toString();
    expect(await refusal(resolveFiles(issued.cert, sec1))).toMatchObject([problem('no PEM key in PKCS#1 or PKCS#8')]);
  });

  it('when the key belongs to another certificate', async () => {
    expect(await refusal(resolveFiles(issued.cert, authority.private))).toMatchObject([
      { flag: '--tls-key-file', ...problem('does not belong to the certificate') },
    ]);
    const reversed = `${authority.cert}\n${issued.cert}`;
    expect(await refusal(resolveFiles(reversed, issued.private))).toMatchObject([problem('a later certificate')]);
  });

  it('when OpenSSL finds the key too weak', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 512 });
    const keyPair = {
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    };
    const weak = await generate(ATTRIBUTES, { algorithm: 'sha256', keyPair });
    expect(await refusal(resolveFiles(weak.cert, weak.private))).toMatchObject([problem('cannot be used for TLS')]);
  });
});
