import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  credentialFingerprint,
  credentialHeaders,
  storeCredential,
} from '../../../../../src/server/service/credentials/credentials.ts';
import {
  openSecret,
  parseSecretsKey,
  sealSecret,
  secretsKeyFingerprint,
} from '../../../../../src/server/service/credentials/sealing.ts';
import { loadOrCreateSecretsKey } from '../../../../../src/server/service/credentials/secrets-key.ts';
import type { CredentialInput } from '../../../../../src/server/service/credentials/types.ts';
import { credentialViolations } from '../../../../../src/server/service/credentials/validation.ts';

const KEY = Buffer.alloc(32, 7);
const OTHER_KEY = Buffer.alloc(32, 8);
const ID = '01980000-0000-7000-8000-0000000000c1';
const OTHER_ID = '01980000-0000-7000-8000-0000000000c2';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'credentials-'));
});
afterAll(() => rm(dir, { recursive: true }));

type ApiKey = NonNullable<CredentialInput['apiKey']>;
const apiKey = (member: ApiKey): CredentialInput => ({ kind: 'CREDENTIAL_KIND_API_KEY', apiKey: member });
const inline = (secret: string, member: ApiKey = {}) => apiKey({ inlineSecret: secret, ...member });
const reference = (uri: string, member: ApiKey = {}) => apiKey({ secretRef: { uri }, ...member });

interface Access {
  key?: Buffer | undefined;
  id?: string;
  env?: Record<string, string>;
}

function headers(input: CredentialInput, { key, id = ID, env = {} }: Access = {}) {
  const stored = storeCredential(input, ID, KEY);
  return credentialHeaders(stored, { resourceId: id, key, env, signal: new AbortController().signal });
}

describe('sealing', () => {
  it('unseals what it sealed, with another ciphertext each time', () => {
    for (const secret of ['a secret', 'söcret 🎉', 'x'.repeat(8192)]) {
      const [first, second] = [sealSecret(KEY, ID, secret), sealSecret(KEY, ID, secret)];
      expect(openSecret(KEY, ID, first)).toBe(secret);
      expect(openSecret(KEY, ID.toUpperCase(), second)).toBe(secret);
      expect(first.equals(second)).toBe(false);
      expect(first.includes(secret)).toBe(false);
    }
  });

  it('unseals neither in another row nor with another key', () => {
    const sealed = sealSecret(KEY, ID, 'secret');
    expect(openSecret(KEY, OTHER_ID, sealed)).toBeUndefined();
    expect(openSecret(OTHER_KEY, ID, sealed)).toBeUndefined();
  });

  it('unseals nothing with a changed or missing byte', () => {
    const sealed = sealSecret(KEY, ID, 'secret');
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(i) ^ 1, i);
      expect(openSecret(KEY, ID, changed)).toBeUndefined();
      expect(openSecret(KEY, ID, sealed.subarray(0, i))).toBeUndefined();
    }
  });

  it('distinguishes keys by a fingerprint that is not the key', () => {
    expect(secretsKeyFingerprint(KEY)).toBe(secretsKeyFingerprint(Buffer.from(KEY)));
    expect(secretsKeyFingerprint(KEY)).not.toBe(secretsKeyFingerprint(OTHER_KEY));
    expect(secretsKeyFingerprint(KEY)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('reads keys as openssl rand -base64 32 writes them, and nothing else', () => {
    const made = execFileSync('openssl', ['rand', '-base64', '32'], { encoding: 'utf8' });
    expect(parseSecretsKey(made)).toHaveLength(32);
    for (const text of [
      '',
      'secret',
      randomBytes(31).toString('base64'),
      randomBytes(33).toString('base64'),
      `${made}x`,
    ]) {
      expect(parseSecretsKey(text)).toBeUndefined();
    }
  });
});

describe('the key file', () => {
  const newDir = async (name: string) => {
    const path = join(dir, name);
    await mkdir(path);
    return path;
  };

  it('is created once, with mode 0600, and leaves no temporary file', async () => {
    const data = await newDir('made');
    const key = await loadOrCreateSecretsKey(data);
    expect(key).toHaveLength(32);
    expect(await loadOrCreateSecretsKey(data)).toEqual(key);
    expect(await readdir(data)).toEqual(['secrets.key']);
    expect((await stat(join(data, 'secrets.key'))).mode & 0o777).toBe(0o600);
    expect(parseSecretsKey(await readFile(join(data, 'secrets.key'), 'utf8'))).toEqual(key);
  });

  it('is the same for concurrent creators', async () => {
    const data = await newDir('race');
    const keys = await Promise.all(Array.from({ length: 8 }, () => loadOrCreateSecretsKey(data)));
    expect(new Set(keys.map((key) => key?.toString('hex'))).size).toBe(1);
    expect(await readdir(data)).toEqual(['secrets.key']);
  });

  it('is not created when creation is off', async () => {
    const data = await newDir('none');
    expect(await loadOrCreateSecretsKey(data, { create: false })).toBeUndefined();
    expect(await readdir(data)).toEqual([]);
  });

  it('that is damaged is an error and is not overwritten', async () => {
    const data = await newDir('damaged');
    await writeFile(join(data, 'secrets.key'), 'oops');
    await expect(loadOrCreateSecretsKey(data)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    expect(await readFile(join(data, 'secrets.key'), 'utf8')).toBe('oops');
  });
});

describe('storing', () => {
  it('an inline secret without a key tells how to make one', () => {
    const store = () => storeCredential(inline('secret'), ID, undefined);
    expect(store).toThrow(
      expect.objectContaining({
        code: 'FAILED_PRECONDITION',
        details: 'set SERVICE_SECRETS_KEY; make one with: openssl rand -base64 32',
      }),
    );
  });

  it('keeps no secret in the clear', () => {
    const stored = storeCredential({ ...inline('topsecret'), labels: { a: 'b' } }, ID, KEY);
    expect(JSON.stringify(stored)).not.toContain('topsecret');
    expect(stored).toMatchObject({ headerName: 'Authorization', prefix: 'Bearer ', labels: { a: 'b' } });
  });

  it('a reference needs no key', () => {
    expect(storeCredential(reference('env://A'), ID, undefined)).toMatchObject({ secretRef: { uri: 'env://A' } });
  });

  it('GCP_ADC needs no key and stores its options alone', () => {
    const gcpAdc = { scopes: ['a'], quotaProjectId: 'p' };
    const kind = 'CREDENTIAL_KIND_GCP_ADC';
    expect(storeCredential({ kind, gcpAdc }, ID, undefined)).toEqual({ kind, ...gcpAdc, labels: {} });
    expect(storeCredential({ kind, gcpAdc: {} }, ID, undefined)).toEqual({ kind, scopes: [], labels: {} });
  });
});

describe('headers', () => {
  it('have the defaults of the header they use', async () => {
    expect(await headers(inline('s'), { key: KEY })).toEqual({ Authorization: 'Bearer s' });
    expect(await headers(inline('s', { headerName: 'authorization' }), { key: KEY })).toEqual({
      authorization: 'Bearer s',
    });
    expect(await headers(inline('s', { headerName: 'api-key' }), { key: KEY })).toEqual({ 'api-key': 's' });
    expect(await headers(inline('s', { prefix: '' }), { key: KEY })).toEqual({ Authorization: 's' });
    expect(await headers(inline('s', { headerName: 'x-key', prefix: 'Key ' }), { key: KEY })).toEqual({
      'x-key': 'Key s',
    });
  });

  it.each([
    ['no key', { key: undefined }],
    ['another key', { key: OTHER_KEY }],
    ['another row', { key: KEY, id: OTHER_ID }],
  ])('of an inline secret cannot be made with %s', async (_name, access) => {
    await expect(headers(inline('topsecret'), access)).rejects.toMatchObject({ reason: 'configuration' });
  });

  it('read the environment at each call, without a key', async () => {
    const env: Record<string, string> = { TOKEN: 'one' };
    const uri = 'env://TOKEN';
    expect(await headers(reference(uri), { env })).toEqual({ Authorization: 'Bearer one' });
    env.TOKEN = 'two';
    expect(await headers(reference(uri), { env })).toEqual({ Authorization: 'Bearer two' });
    await expect(headers(reference('env://MISSING'), { env })).rejects.toMatchObject({
      reason: 'configuration',
      message: 'The secret env://MISSING is missing or empty',
    });
  });

  it('read a file at each call and drop its last line end', async () => {
    const file = join(dir, 'a token');
    const uri = `file://${dir}/a%20token`;
    for (const [content, secret] of [
      ['one', 'one'],
      ['two\n', 'two'],
      ['three\r\n', 'three'],
    ] as const) {
      await writeFile(file, content);
      expect(await headers(reference(uri))).toEqual({ Authorization: `Bearer ${secret}` });
    }
  });

  it.each(['a\nx-evil: 1', 'a\n\n', 'a\rb', 'a\0b', 'schlüssel'])('are not made of %j', async (content) => {
    const file = join(dir, 'evil');
    await writeFile(file, content);
    const error = await headers(reference(`file://${file}`)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ reason: 'configuration' });
    expect((error as Error).message).not.toContain(content);
  });

  it('are not made of a large or special file', async () => {
    await writeFile(join(dir, 'large'), 'x'.repeat(65_537));
    await writeFile(join(dir, 'empty'), '\n');
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    for (const name of ['large', 'empty', 'pipe', 'missing', '']) {
      await expect(headers(reference(`file://${dir}/${name}`))).rejects.toMatchObject({ reason: 'configuration' });
    }
  });
});

describe('fingerprints', () => {
  const fingerprint = (input: CredentialInput | undefined, key: Buffer | undefined = KEY) =>
    credentialFingerprint(input, key);

  it('distinguish credentials by the header that is sent', () => {
    const different = [
      undefined,
      inline('a'),
      inline('b'),
      inline('a', { prefix: '' }),
      inline('a', { headerName: 'x-key' }),
      reference('env://A'),
      reference('env://B'),
      reference('env://A', { headerName: 'x-key' }),
      { kind: 'CREDENTIAL_KIND_GCP_ADC', gcpAdc: {} },
      { kind: 'CREDENTIAL_KIND_GCP_ADC', gcpAdc: { scopes: ['a'] } },
    ].map((input) => fingerprint(input));
    expect(new Set(different).size).toBe(different.length);
  });

  it('are equal for equal credentials in another form', () => {
    const written = inline('a', { headerName: 'AUTHORIZATION', prefix: 'Bearer ' });
    expect(fingerprint({ ...written, labels: { a: 'b' } })).toBe(fingerprint(inline('a')));
  });

  it('of an inline secret depend on the key, those of a reference do not', () => {
    expect(fingerprint(inline('a'), OTHER_KEY)).not.toBe(fingerprint(inline('a')));
    expect(credentialFingerprint(reference('env://A'), undefined)).toBe(fingerprint(reference('env://A')));
    expect(credentialFingerprint(undefined, undefined)).toBe('');
  });
});

describe('validation', () => {
  it.each([
    inline('s'),
    inline('s', { headerName: 'x-api-key', prefix: '' }),
    reference('env://MY_TOKEN'),
    reference('file:///run/secrets/token'),
    {
      kind: 'CREDENTIAL_KIND_GCP_ADC',
      gcpAdc: { scopes: ['https://www.googleapis.com/auth/cloud-platform'], quotaProjectId: 'my-project' },
    },
    { ...inline('s'), labels: { team: '' } },
  ] satisfies CredentialInput[])('accepts %j', (input) => {
    expect(credentialViolations(input)).toEqual([]);
  });

  it.each([
    [{}, ['credentials.kind']],
    [{ kind: 'CREDENTIAL_KIND_UNSPECIFIED' }, ['credentials.kind']],
    [{ kind: 'CREDENTIAL_KIND_API_KEY' }, ['credentials.apiKey']],
    [{ kind: 'CREDENTIAL_KIND_GCP_ADC', apiKey: { inlineSecret: 's' } }, ['credentials.apiKey', 'credentials.gcpAdc']],
    [apiKey({}), ['credentials.apiKey']],
    [apiKey({ inlineSecret: 's', secretRef: { uri: 'env://A' } }), ['credentials.apiKey']],
    [inline(''), ['credentials.apiKey.inlineSecret']],
    [inline('a\r\nb'), ['credentials.apiKey.inlineSecret']],
    [inline('x'.repeat(8193)), ['credentials.apiKey.inlineSecret']],
    [inline('s', { headerName: 'a b' }), ['credentials.apiKey.headerName']],
    [inline('s', { headerName: '' }), ['credentials.apiKey.headerName']],
    [inline('s', { headerName: 'Content-Length' }), ['credentials.apiKey.headerName']],
    [inline('s', { prefix: 'Bearer\n' }), ['credentials.apiKey.prefix']],
    [reference('https://vault/secret'), ['credentials.apiKey.secretRef.uri']],
    [reference('env://'), ['credentials.apiKey.secretRef.uri']],
    [reference('env://A-B'), ['credentials.apiKey.secretRef.uri']],
    [reference('file://relative/path'), ['credentials.apiKey.secretRef.uri']],
    [reference('file:///'), ['credentials.apiKey.secretRef.uri']],
    [reference('file:///a%00b'), ['credentials.apiKey.secretRef.uri']],
    [{ kind: 'CREDENTIAL_KIND_GCP_ADC', gcpAdc: { scopes: ['a b'] } }, ['credentials.gcpAdc.scopes[0]']],
    [{ ...inline('s'), labels: { '': 'a' } }, ['credentials.labels']],
  ] satisfies [CredentialInput, string[]][])('refuses %j', (input, paths) => {
    const violations = credentialViolations(input);
    expect(violations.map(({ path }) => path).sort()).toEqual(paths);
    expect(JSON.stringify(violations)).not.toContain('xxxx');
  });
});
