import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ParsedFlags } from '../../../../src/server/settings/given.ts';
import { SettingsError } from '../../../../src/server/settings/settings-error.ts';
import { resolveTls } from '../../../../src/server/transport/tls.ts';
import { DAY_MS } from '../../../../src/shared/time.ts';
import { loadSettings } from '../settings/settings.fixture.ts';
import { handshake, present } from './tls.fixture.ts';

const ATTRIBUTES = [{ name: 'commonName', value: 'localhost' }];
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

const resolve = (flags: ParsedFlags) => resolveTls(loadSettings({ flags: { embedded: true, ...flags }, env: {} }));

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
