import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  credentialFingerprint,
  credentialHeaders,
  storeCredential,
} from '../../../../../src/server/service/credentials/credentials.ts';
import type { CredentialInput } from '../../../../../src/server/service/credentials/types.ts';
import { inline, reference } from './inputs.fixture.ts';

const KEY = Buffer.alloc(32, 7);
const OTHER_KEY = Buffer.alloc(32, 8);
const ID = '01980000-0000-7000-8000-0000000000c1';
const OTHER_ID = '01980000-0000-7000-8000-0000000000c2';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'credentials-'));
});
afterAll(() => rm(dir, { recursive: true }));

interface Access {
  key?: Buffer | undefined;
  id?: string;
  env?: Record<string, string>;
}

function headers(input: CredentialInput, { key, id = ID, env = {} }: Access = {}) {
  const stored = storeCredential(input, ID, KEY);
  return credentialHeaders(stored, { resourceId: id, key, env, signal: new AbortController().signal });
}

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
