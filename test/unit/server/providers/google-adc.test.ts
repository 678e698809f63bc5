import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProviderError } from '../../../../src/server/providers/errors.ts';
import { GoogleAdc } from '../../../../src/server/providers/google-adc.ts';
import { credentialHeaders, storeCredential } from '../../../../src/server/service/credentials/credentials.ts';
import { GoogleStandIn } from '../../../support/stand-ins/google.ts';
import { failure } from './provider-http.fixture.ts';

const ID = '01980000-0000-7000-8000-0000000000c1';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
// Shorter than a real one, as to make one of those takes half a second.
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

let dir: string;
let google: GoogleStandIn;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'google-'));
  google = await GoogleStandIn.start();
  // Nothing of this machine may be found.
  vi.stubEnv('CLOUDSDK_CONFIG', dir);
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '');
  vi.stubEnv('GOOGLE_CLOUD_QUOTA_PROJECT', '');
  vi.stubEnv('GCE_METADATA_HOST', '127.0.0.1:1');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await google.close();
  await rm(dir, { recursive: true });
});

async function keyFile(name: string, content: unknown): Promise<void> {
  const path = join(dir, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', path);
}

const serviceAccount = () =>
  keyFile('key.json', {
    type: 'service_account',
    client_email: 'svc@project.iam.example',
    private_key_id: 'key-1',
    private_key: PEM,
    token_uri: google.tokenUri,
  });

const user = (extra: object = {}) => ({
  type: 'authorized_user',
  client_id: 'client',
  client_secret: 'topsecret-client',
  refresh_token: 'topsecret-refresh',
  token_uri: google.tokenUri,
  ...extra,
});

function adc(timeoutMs = 20_000) {
  const source = new GoogleAdc({ timeoutMs });
  return (member: { scopes?: string[]; quotaProjectId?: string } = {}, signal = new AbortController().signal) => {
    const stored = storeCredential({ kind: 'CREDENTIAL_KIND_GCP_ADC', gcpAdc: member }, ID, undefined);
    return credentialHeaders(stored, { resourceId: ID, key: undefined, signal, google: source });
  };
}

/** The error that the call must fail with, which holds no secret. */
async function cleanFailure(promise: Promise<unknown>): Promise<ProviderError> {
  const error = await failure(promise);
  expect(`${String(error)} ${JSON.stringify(error)}`).not.toMatch(/topsecret|PRIVATE|token-/);
  expect(error.cause).toBeUndefined();
  return error;
}

describe('application default credentials', () => {
  it('of a service account sign for the token server that the key file names', async () => {
    await serviceAccount();
    const headers = adc();
    expect(await headers({ scopes: [SCOPE], quotaProjectId: 'my-project' })).toEqual({
      Authorization: 'Bearer token-1',
      'x-goog-user-project': 'my-project',
    });
    expect(google.requests).toHaveLength(1);
    const [head = '', payload = '', signature = ''] = (google.requests[0]?.form.assertion ?? '').split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      iss: 'svc@project.iam.example',
      scope: SCOPE,
      aud: google.tokenUri,
    });
    const signed = Buffer.from(`${head}.${payload}`);
    expect(verify('sha256', signed, createPublicKey(PEM), Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('are cached for each set of scopes, in any order, and requested once by concurrent callers', async () => {
    await serviceAccount();
    const headers = adc();
    const first = await Promise.all([headers({ scopes: ['b', 'a'] }), headers({ scopes: ['a', 'b', 'a'] })]);
    expect(first).toEqual([{ Authorization: 'Bearer token-1' }, { Authorization: 'Bearer token-1' }]);
    expect(await headers({ scopes: ['a', 'b'] })).toEqual({ Authorization: 'Bearer token-1' });
    expect(await headers()).toEqual({ Authorization: 'Bearer token-2' });
    expect(google.requests).toHaveLength(2);
  });

  it('are renewed when a token is about to end', async () => {
    await serviceAccount();
    google.expiresIn = 1;
    const headers = adc();
    expect(await headers()).toEqual({ Authorization: 'Bearer token-1' });
    expect(await headers()).toEqual({ Authorization: 'Bearer token-2' });
  });

  it('of a user are refreshed and bring the quota project of their file', async () => {
    await keyFile('user.json', user({ quota_project_id: 'file-project' }));
    const headers = adc();
    expect(await headers()).toEqual({ Authorization: 'Bearer token-1', 'x-goog-user-project': 'file-project' });
    expect(google.requests[0]?.form).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'topsecret-refresh' });
    expect(await headers({ quotaProjectId: 'named' })).toMatchObject({ 'x-goog-user-project': 'named' });
  });

  it('are found in the well-known file', async () => {
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'application_default_credentials.json'), JSON.stringify(user()));
    expect(await adc()()).toEqual({ Authorization: 'Bearer token-1' });
  });

  it('are requested from the metadata server', async () => {
    vi.stubEnv('GCE_METADATA_HOST', google.host);
    const headers = adc();
    expect(await headers({ scopes: ['a', 'b'] })).toEqual({ Authorization: 'Bearer token-1' });
    expect(await headers({ scopes: ['a', 'b'] })).toEqual({ Authorization: 'Bearer token-1' });
    const asked = google.requests.at(-1);
    expect(decodeURIComponent(asked?.path ?? '')).toMatch(/service-accounts\/default\/token\?scopes=a,b$/);
    expect(asked?.headers['metadata-flavor']).toBe('Google');
  });
});

describe('without a token', () => {
  it('missing credentials are a configuration error, and are looked for again', async () => {
    const headers = adc();
    const error = await cleanFailure(headers());
    expect(error).toMatchObject({ reason: 'configuration', retryable: false });
    expect(error.message).toBe('This server has no usable Google application default credentials');
    vi.stubEnv('GCE_METADATA_HOST', google.host);
    expect(await headers()).toEqual({ Authorization: 'Bearer token-1' });
  });

  it.each([
    ['does not exist', undefined],
    ['is not JSON', '{"private_key":"topsecret'],
    ['lacks its key', { type: 'service_account', client_email: 'topsecret' }],
    ['holds a broken key', { type: 'service_account', client_email: 'a@b', private_key: 'topsecret' }],
  ])('a key file that %s is a configuration error', async (_name, content) => {
    if (content === undefined) vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', join(dir, 'topsecret.json'));
    else await keyFile('broken.json', content);
    expect(await cleanFailure(adc()())).toMatchObject({ reason: 'configuration' });
  });

  it('a refusal names its status and error, and the next call reads the file again', async () => {
    await keyFile('user.json', user());
    const headers = adc();
    const body = { error: 'invalid_grant', error_description: 'topsecret-refresh was revoked' };
    google.behavior = { kind: 'status', status: 400, body };
    const error = await cleanFailure(headers());
    expect(error.reason).toBe('configuration');
    expect(error.message).toBe("Google's token server refused the credentials of this server (400 invalid_grant)");
    google.behavior = undefined;
    await keyFile('user.json', user({ refresh_token: 'exchanged' }));
    expect(await headers()).toEqual({ Authorization: 'Bearer token-1' });
    expect(google.requests.at(-1)?.form.refresh_token).toBe('exchanged');
  });

  it('a token server that is down is unavailable', async () => {
    await keyFile('user.json', user());
    const headers = adc();
    google.behavior = { kind: 'status', status: 404 };
    expect(await cleanFailure(headers())).toMatchObject({ reason: 'configuration' });
    await keyFile('user.json', user({ token_uri: 'http://127.0.0.1:1/token' }));
    expect(await cleanFailure(headers())).toMatchObject({ reason: 'unavailable', retryable: true });
  });

  it('a hanging token server times out', async () => {
    await serviceAccount();
    google.behavior = { kind: 'hang' };
    expect(await cleanFailure(adc(100)())).toMatchObject({ reason: 'timeout' });
  });

  it('so does a hanging metadata server', async () => {
    vi.stubEnv('GCE_METADATA_HOST', google.host);
    google.behavior = { kind: 'hang' };
    expect(await cleanFailure(adc(100)())).toMatchObject({ reason: 'timeout' });
  });

  it('an aborted caller is released, and the others get their token', async () => {
    await serviceAccount();
    const headers = adc();
    const controller = new AbortController();
    const left = headers({}, controller.signal);
    const stays = headers();
    controller.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(await stays).toEqual({ Authorization: 'Bearer token-1' });
  });
});
