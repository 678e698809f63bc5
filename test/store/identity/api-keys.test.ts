import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { createAuthenticator } from '../../../src/server/service/authenticate.ts';
import { insertApiKey } from '../../../src/server/store/api-keys.ts';
import { ApiKeyStatus } from '../../../src/shared/gen/service/v1/api_key_pb.ts';
import { ProviderType } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { timestampFromMs } from '../../../src/shared/time.ts';
import { openLog } from '../../support/log.ts';
import { failure, openIdentity, signal, sql, UNKNOWN_ID, useWorld } from '../identity.fixture.ts';

const world = useWorld();

const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));

let embedderId = '';
beforeAll(async () => {
  const request = { displayName: 'words', providerType: ProviderType.BUILTIN, modelIdentifier: 'lexical-v1' };
  embedderId = (await world.call('createEmbedder', request, world.ada)).embedderId;
});

function newSpace(name: string, publicRead = false) {
  return world.call('createSpace', { name, publicRead, embedderId }, world.ada);
}

describe('create', () => {
  test('names a user that is deleted during the call', async () => {
    const key = {
      apiKeyId: crypto.randomUUID(),
      userId: UNKNOWN_ID,
      keyHash: createHash('sha256').update('none').digest(),
      keyPrefix: 'svc_none',
      labels: {},
      readOnly: null,
      spaceIds: null,
      expiresAt: null,
      createdById: world.ada.userId,
    };
    await expect(insertApiKey(world.db.main, key)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `User not found: ${UNKNOWN_ID}`,
      resource: { kind: 'User', id: UNKNOWN_ID },
    });
  });

  test('shows the raw key once and stores only its hash', async () => {
    const expiresAt = timestampFromMs(Date.now() + 60_000);
    const request = { labels: { purpose: 'ci' }, expiresAt, restrictions: { readOnly: true } };
    const { rawApiKey, apiKeyMetadata } = await world.call('createApiKey', request, world.ada);
    expect(rawApiKey).toMatch(/^svc_[a-z2-7]{32}$/);
    expect(apiKeyMetadata).toMatchObject({
      userId: world.ada.userId,
      keyPrefix: rawApiKey.slice(0, 8),
      status: ApiKeyStatus.ACTIVE,
      labels: { purpose: 'ci' },
      expiresAt,
      restrictions: { readOnly: true, spaceIds: [] },
      createdById: world.ada.userId,
      updatedById: world.ada.userId,
    });
    expect(apiKeyMetadata?.lastUsedAt).toBeUndefined();
    const [row] = await sql<{ hash: string; text: string }>(
      world.db,
      `select encode(key_hash, 'hex') as hash, api_key::text as text from api_key where api_key_id = $1`,
      [apiKeyMetadata?.apiKeyId],
    );
    expect(row?.hash).toBe(createHash('sha256').update(rawApiKey).digest('hex'));
    expect(row?.text).not.toContain(rawApiKey.slice(8));
  });

  test('refuses a past expiry, a taken id, and another user without the _ANY form', async () => {
    const past = { expiresAt: timestampFromMs(Date.now() - 1) };
    expect(await failure(world.call('createApiKey', past, world.ada))).toBe(
      'INVALID_ARGUMENT | Request has 1 invalid field | expiresAt: must be in the future',
    );
    const taken = { apiKeyId: world.ada.apiKeyId };
    expect(await failure(world.call('createApiKey', taken, world.ada))).toMatch(/^ALREADY_EXISTS/);
    const other = { userId: world.bob.userId };
    expect(await failure(world.call('createApiKey', other, world.ada))).toMatch(/CREATE_APIKEY_ANY$/);
    const unknown = { userId: UNKNOWN_ID };
    expect(await failure(world.call('createApiKey', unknown, world.ada))).toBe(
      `NOT_FOUND | User not found: ${UNKNOWN_ID}`,
    );
  });

  test('binds to spaces that exist and that the caller can read', async () => {
    const space = await newSpace('bound');
    const bind = (spaceIds: string[]) => ({ restrictions: { spaceIds } });
    const bound = await world.keyFor(world.ada, bind([space.spaceId, space.spaceId]));
    expect([...(bound.spaceIds ?? [])]).toEqual([space.spaceId]);
    expect(await failure(world.call('createApiKey', bind([UNKNOWN_ID]), world.ada))).toBe(
      `NOT_FOUND | Space not found: ${UNKNOWN_ID}`,
    );
    expect(await failure(world.call('createApiKey', bind([space.spaceId]), world.bob))).toMatch(/^PERMISSION_DENIED/);
    const publicSpace = await newSpace('bound public', true);
    expect((await world.keyFor(world.bob, bind([publicSpace.spaceId]))).userId).toBe(world.bob.userId);
  });
});

describe('read', () => {
  test('get and list show metadata to the owner and to admins', async () => {
    const key = await world.keyFor(world.bob);
    const request = { apiKeyId: key.apiKeyId };
    expect((await world.call('getApiKey', request, world.bob)).restrictions).toBeUndefined();
    expect((await world.call('getApiKey', request, world.admin)).userId).toBe(world.bob.userId);
    expect(await failure(world.call('getApiKey', request, world.ada))).toMatch(/^PERMISSION_DENIED/);
    expect(await failure(world.call('getApiKey', { apiKeyId: UNKNOWN_ID }, world.ada))).toBe(
      `NOT_FOUND | API key not found: ${UNKNOWN_ID}`,
    );

    const { keys } = await world.call('listApiKeys', { userId: world.bob.userId }, world.admin);
    expect(keys[0]?.apiKeyId).toBe(key.apiKeyId);
    expect(keys.every(({ userId }) => userId === world.bob.userId)).toBe(true);
    const own = await world.call('listApiKeys', {}, world.admin);
    expect(own.keys.map(({ userId }) => userId)).toEqual([world.admin.userId]);
    const other = { userId: world.bob.userId };
    expect(await failure(world.call('listApiKeys', other, world.ada))).toMatch(/LIST_APIKEY_ANY$/);
    expect(await failure(world.call('listApiKeys', { userId: UNKNOWN_ID }, world.admin))).toMatch(/^NOT_FOUND/);
  });
});

describe('update and delete', () => {
  test('labels are replaced or merged, with the limit on the result', async () => {
    const { apiKeyMetadata } = await world.call('createApiKey', { labels: labels(9) }, world.ada);
    const apiKeyId = apiKeyMetadata?.apiKeyId ?? '';
    const merge = (added: Record<string, string>) =>
      world.call(
        'updateApiKey',
        { apiKeyId, labelUpdate: { case: 'mergeLabels', value: { labels: added } } },
        world.ada,
      );
    expect((await merge({ k0: 'new', extra: '' })).labels).toEqual({ ...labels(9), k0: 'new', extra: '' });
    expect(await failure(merge({ eleven: '11' }))).toMatch(/^INVALID_ARGUMENT .*mergeLabels: .*11/);
    const replaced = await world.call(
      'updateApiKey',
      { apiKeyId, labelUpdate: { case: 'replaceLabels', value: { labels: {} } } },
      world.admin,
    );
    expect(replaced).toMatchObject({ labels: {}, updatedById: world.admin.userId, createdById: world.ada.userId });
    const unchanged = await world.call('updateApiKey', { apiKeyId }, world.ada);
    expect(unchanged).toEqual(replaced);
    expect(await failure(world.call('updateApiKey', { apiKeyId }, world.bob))).toMatch(/UPDATE_APIKEY_ANY$/);
  });

  test('an inactive, expired or deleted key is refused at once, on every server', async () => {
    // The embedded engine serves one server only.
    const other = world.database.kind === 'embedded' ? world.db : await world.database.connect();
    const { authenticate: elsewhere } = createAuthenticator({ db: other, log: openLog() });
    const works = async (rawKey: string) =>
      (await Promise.all([world.authenticate(rawKey, signal), elsewhere(rawKey, signal)])).map(
        (caller) => caller !== undefined,
      );
    const { rawApiKey, apiKeyMetadata } = await world.call('createApiKey', {}, world.bob);
    const apiKeyId = apiKeyMetadata?.apiKeyId ?? '';
    expect(await works(rawApiKey)).toEqual([true, true]);
    await world.call('updateApiKey', { apiKeyId, status: ApiKeyStatus.INACTIVE }, world.bob);
    expect(await works(rawApiKey)).toEqual([false, false]);
    await world.call('updateApiKey', { apiKeyId, status: ApiKeyStatus.ACTIVE }, world.bob);
    expect(await works(rawApiKey)).toEqual([true, true]);

    await sql(world.db, `update api_key set expires_at = now() - interval '1 ms' where api_key_id = $1`, [apiKeyId]);
    expect(await works(rawApiKey)).toEqual([false, false]);
    const listed = await world.call('getApiKey', { apiKeyId }, world.bob);
    expect(listed.status).toBe(ApiKeyStatus.ACTIVE);

    await sql(world.db, 'update api_key set expires_at = null where api_key_id = $1', [apiKeyId]);
    expect(await failure(world.call('deleteApiKey', { apiKeyId }, world.ada))).toMatch(/^PERMISSION_DENIED/);
    await world.call('deleteApiKey', { apiKeyId }, world.bob);
    expect(await works(rawApiKey)).toEqual([false, false]);
    expect(await failure(world.call('deleteApiKey', { apiKeyId }, world.bob))).toMatch(/^NOT_FOUND/);
    if (other !== world.db) await other.close();
  });
});

describe('authenticate', () => {
  test('accepts keys of either hash, and no other text', async () => {
    const fips = await openIdentity(world.db, { fips: true });
    const { rawApiKey, apiKeyMetadata } = await fips.call('createApiKey', {}, world.ada);
    const [row] = await sql<{ hash: string }>(
      world.db,
      `select encode(key_hash, 'hex') as hash from api_key where api_key_id = $1`,
      [apiKeyMetadata?.apiKeyId],
    );
    expect(row?.hash).toBe(createHash('sha3-256').update(rawApiKey).digest('hex'));
    expect(await world.authenticate(rawApiKey, signal)).toMatchObject({ userId: world.ada.userId, role: 'USER' });
    for (const text of ['', 'svc_', 'nothing', rawApiKey.toUpperCase(), `${rawApiKey}a`, `svc_${'a'.repeat(5000)}`]) {
      expect(await world.authenticate(text, signal)).toBeUndefined();
    }
  });

  test('the last use is written beside the request, and again only after a minute', async () => {
    const { rawApiKey, apiKeyMetadata } = await world.call('createApiKey', {}, world.ada);
    const lastUse = async () =>
      (await world.call('getApiKey', { apiKeyId: apiKeyMetadata?.apiKeyId ?? '' }, world.ada)).lastUsedAt;
    await world.authenticate(rawApiKey, signal);
    const first = await vi.waitUntil(lastUse, { timeout: 10_000 });
    await sql(world.db, `update api_key set last_used_at = now() - interval '50 seconds' where api_key_id = $1`, [
      apiKeyMetadata?.apiKeyId,
    ]);
    const recent = await lastUse();
    expect(recent).not.toEqual(first);
    await world.authenticate(rawApiKey, signal);
    // The write of another key goes through the same pool behind it, so this one would be visible by then.
    const marker = await world.call('createApiKey', {}, world.ada);
    await world.authenticate(marker.rawApiKey, signal);
    const markerUse = { apiKeyId: marker.apiKeyMetadata?.apiKeyId ?? '' };
    await vi.waitUntil(async () => (await world.call('getApiKey', markerUse, world.ada)).lastUsedAt, {
      timeout: 10_000,
    });
    expect(await lastUse()).toEqual(recent);
    await sql(world.db, `update api_key set last_used_at = now() - interval '61 seconds' where api_key_id = $1`, [
      apiKeyMetadata?.apiKeyId,
    ]);
    const rested = await lastUse();
    await world.authenticate(rawApiKey, signal);
    await vi.waitUntil(async () => (await lastUse())?.seconds !== rested?.seconds, { timeout: 10_000 });
  });

  test('a failing write of the last use fails no request', async () => {
    const { rawApiKey } = await world.call('createApiKey', {}, world.ada);
    const lines: string[] = [];
    const broken = {
      ...world.db,
      background: { ...world.db.background, execute: () => Promise.reject(new Error('x')) },
    };
    const { authenticate } = createAuthenticator({ db: broken, log: openLog((line) => lines.push(line)) });
    expect(await authenticate(rawApiKey, signal)).toMatchObject({ userId: world.ada.userId });
    await vi.waitUntil(() => lines.length > 0);
    expect(await authenticate(rawApiKey, signal)).toMatchObject({ userId: world.ada.userId });
    expect(lines).toHaveLength(1);
  });

  test('a read-only key may read and list and nothing else; a space-bound one reaches its spaces only', async () => {
    const readOnly = await world.keyFor(world.ada, { restrictions: { readOnly: true } });
    expect((await world.call('listApiKeys', {}, readOnly)).keys.length).toBeGreaterThan(0);
    expect(await failure(world.call('createApiKey', {}, readOnly))).toBe('PERMISSION_DENIED | The key is read-only');
    const space = await newSpace('mine');
    const bound = await world.keyFor(world.ada, { restrictions: { spaceIds: [space.spaceId] } });
    expect(await failure(world.call('listApiKeys', {}, bound))).toMatch(/^PERMISSION_DENIED/);
    expect((await world.call('getSpace', { spaceId: space.spaceId }, bound)).name).toBe('mine');
    expect(await failure(world.call('getEmbedder', { embedderId }, bound))).toMatch(/^PERMISSION_DENIED/);
  });
});
