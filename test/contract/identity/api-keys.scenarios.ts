import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { unique } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';
import type { Scenario } from '../scenario.fixture.ts';

const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, `v${n}`]));

export const apiKeys: readonly Scenario[] = [
  {
    name: 'create gives the raw key once, and it works at once',
    async run(stage) {
      const created = await stage.ok('createApiKey', {});
      expect(created.rawApiKey).toMatch(/^svc_[a-z2-7]{32}$/);
      const metadata = created.apiKeyMetadata;
      expect(metadata).toEqual({
        apiKeyId: expect.any(String),
        userId: stage.caller.userId,
        keyPrefix: created.rawApiKey.slice(0, 8),
        status: 'ACTIVE',
        labels: {},
        createdAt: expect.any(Number),
        updatedAt: metadata.createdAt,
        createdById: stage.caller.userId,
        updatedById: stage.caller.userId,
      });
      expect((await stage.ok('getUser', {}, created.rawApiKey)).userId).toBe(stage.caller.userId);
      const id = { apiKeyId: metadata.apiKeyId };
      const list = await stage.ok('listApiKeys');
      const updated = await stage.ok('updateApiKey', { ...id, mergeLabels: { a: 'b' } });
      const hash = createHash('sha256').update(created.rawApiKey).digest();
      for (const later of [await stage.ok('getApiKey', id), list, updated]) {
        const text = JSON.stringify(later);
        expect(text).toContain(created.rawApiKey.slice(0, 8));
        expect(text).not.toContain(created.rawApiKey.slice(8));
        for (const form of ['hex', 'base64', 'base64url'] as const) expect(text).not.toContain(hash.toString(form));
        expect(text).not.toMatch(/raw|hash/i);
      }
      expect(list.keys[0].apiKeyId).toBe(metadata.apiKeyId);
      const again = await stage.wire.call('createApiKey', id, { key: stage.caller.key });
      expect(again).toMatchObject({ ok: false, code: 'ALREADY_EXISTS' });
      expect(JSON.stringify(again)).not.toContain(created.rawApiKey.slice(8));
    },
  },
  {
    name: 'missing, unknown, malformed, inactive, deleted and expired keys all get the same answer',
    async run(stage) {
      const [inactive, deleted] = [await stage.ok('createApiKey', {}), await stage.ok('createApiKey', {})];
      await stage.ok('updateApiKey', { apiKeyId: inactive.apiKeyMetadata.apiKeyId, status: 'INACTIVE' });
      await stage.ok('deleteApiKey', { apiKeyId: deleted.apiKeyMetadata.apiKeyId });
      const { rawApiKey: expired } = await stage.expiring('createApiKey');
      await stage.untilRefused('getUser', {}, 'UNAUTHENTICATED', expired);
      const unknown = [undefined, 'svc_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'garbage', `${stage.caller.key}a`, ''];
      const answers = [];
      for (const key of [...unknown, inactive.rawApiKey, deleted.rawApiKey, expired]) {
        answers.push(await stage.wire.call('listSpaces', {}, { key }));
      }
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]).toMatchObject({ ok: false, code: 'UNAUTHENTICATED' });
    },
  },
  {
    name: 'an INACTIVE key is refused at once and can be reactivated',
    async run(stage) {
      const { apiKeyMetadata, rawApiKey } = await stage.ok('createApiKey', {});
      const { apiKeyId } = apiKeyMetadata;
      await stage.ok('getUser', {}, rawApiKey);
      expect((await stage.ok('updateApiKey', { apiKeyId, status: 'INACTIVE' })).status).toBe('INACTIVE');
      await stage.refused('getUser', {}, 'UNAUTHENTICATED', { as: rawApiKey });
      expect((await stage.ok('updateApiKey', { apiKeyId, status: 'ACTIVE' })).status).toBe('ACTIVE');
      await stage.ok('getUser', {}, rawApiKey);
    },
  },
  {
    name: 'a deleted key is refused at once; a second delete is NOT_FOUND',
    async run(stage) {
      const { apiKeyMetadata, rawApiKey } = await stage.ok('createApiKey', {});
      const { apiKeyId } = apiKeyMetadata;
      await stage.ok('getUser', {}, rawApiKey);
      await stage.ok('deleteApiKey', { apiKeyId });
      await stage.refused('getUser', {}, 'UNAUTHENTICATED', { as: rawApiKey });
      for (const operation of ['deleteApiKey', 'getApiKey', 'updateApiKey'] as const) {
        await stage.refused(operation, { apiKeyId }, 'NOT_FOUND', { message: `API key not found: ${apiKeyId}` });
      }
    },
  },
  {
    name: 'an expired key is refused, and can be listed, updated and deleted, but not extended',
    async run(stage) {
      const { apiKeyMetadata, rawApiKey } = await stage.expiring('createApiKey');
      const { apiKeyId, expiresAt } = apiKeyMetadata;
      await stage.untilRefused('getUser', {}, 'UNAUTHENTICATED', rawApiKey);
      expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
      const { keys } = await stage.ok('listApiKeys');
      expect(keys.find((key: Json) => key.apiKeyId === apiKeyId)).toMatchObject({ status: 'ACTIVE', expiresAt });
      const labeled = await stage.ok('updateApiKey', { apiKeyId, mergeLabels: { old: 'yes' } });
      expect(labeled.labels).toEqual({ old: 'yes' });
      const extension = { apiKeyId, expiresAt: Date.now() + 60_000 };
      await stage.refused('updateApiKey', extension, 'INVALID_ARGUMENT', { details: 'immutable' });
      await stage.ok('deleteApiKey', { apiKeyId });
    },
  },
  {
    name: 'expiresAt may be a decimal string and must lie in the future',
    async run(stage) {
      const future = Date.now() + 86_400_000;
      const { apiKeyMetadata } = await stage.ok('createApiKey', { expiresAt: String(future) });
      expect(apiKeyMetadata.expiresAt).toBe(future);
      const past = { expiresAt: Date.now() - 1000 };
      await stage.refused('createApiKey', past, 'INVALID_ARGUMENT', { details: 'expiresAt' });
      await stage.refused('createApiKey', { expiresAt: 0 }, 'INVALID_ARGUMENT', { details: 'expiresAt' });
    },
  },
  {
    name: 'labels: ten at most; replaced or merged, never both',
    async run(stage) {
      const { apiKeyMetadata } = await stage.ok('createApiKey', { labels: labels(10) });
      const { apiKeyId } = apiKeyMetadata;
      expect(apiKeyMetadata.labels).toEqual(labels(10));
      await stage.refused('createApiKey', { labels: labels(11) }, 'INVALID_ARGUMENT', { details: 'labels' });
      const eleventh = { apiKeyId, mergeLabels: { another: 'one' } };
      await stage.refused('updateApiKey', eleventh, 'INVALID_ARGUMENT');
      const merged = await stage.ok('updateApiKey', { apiKeyId, mergeLabels: { k0: 'new' } });
      expect(merged.labels).toEqual({ ...labels(10), k0: 'new' });
      expect((await stage.ok('updateApiKey', { apiKeyId, replaceLabels: {} })).labels).toEqual({});
      const both = { apiKeyId, replaceLabels: {}, mergeLabels: {} };
      await stage.refused('updateApiKey', both, 'INVALID_ARGUMENT');
      await stage.refused('createApiKey', { labels: { '': 'v' } }, 'INVALID_ARGUMENT');
      await stage.refused('createApiKey', { labels: { ['k'.repeat(256)]: 'v' } }, 'INVALID_ARGUMENT');
      await stage.refused('createApiKey', { labels: { k: 'v'.repeat(256) } }, 'INVALID_ARGUMENT');
      await stage.ok('createApiKey', { labels: { ['k'.repeat(255)]: '😀'.repeat(255), empty: '' } });
    },
  },
  {
    name: 'an empty update changes nothing',
    async run(stage) {
      const { apiKeyMetadata } = await stage.ok('createApiKey', { labels: { a: 'b' } });
      expect(await stage.ok('updateApiKey', { apiKeyId: apiKeyMetadata.apiKeyId })).toEqual(apiKeyMetadata);
    },
  },
  {
    name: 'id, owner, key material and audit fields never change; an update records its caller and time',
    async run(stage) {
      const admin = await stage.person('ADMIN');
      const { apiKeyMetadata: before, rawApiKey } = await stage.ok('createApiKey', {
        labels: { a: 'b' },
        expiresAt: Date.now() + 86_400_000,
      });
      const { apiKeyId } = before;
      const attempts: [string, unknown, string][] = [
        ['userId', admin.userId, 'immutable'],
        ['expiresAt', Date.now() + 1e9, 'immutable'],
        ['restrictions', { readOnly: true }, 'immutable'],
        ...['keyPrefix', 'keyHash', 'rawApiKey', 'createdById', 'updatedById', 'createdAt', 'updatedAt'].map(
          (name): [string, unknown, string] => [name, name.endsWith('At') ? 1 : admin.userId, 'unknown field'],
        ),
      ];
      for (const [name, value, reason] of attempts) {
        const update = { apiKeyId, status: 'INACTIVE', [name]: value };
        await stage.refused('updateApiKey', update, 'INVALID_ARGUMENT', { details: `${name}: ${reason}` });
      }
      expect(await stage.ok('getApiKey', { apiKeyId })).toEqual(before);
      await stage.later(before.updatedAt);
      const change = { status: 'INACTIVE', replaceLabels: { c: 'd' } };
      const after = await stage.ok('updateApiKey', { apiKeyId, ...change }, admin.key);
      const changed = { status: 'INACTIVE', labels: { c: 'd' }, updatedById: admin.userId };
      expect(after).toEqual({ ...before, ...changed, updatedAt: expect.any(Number) });
      expect(after.updatedAt).toBeGreaterThan(before.updatedAt);
      expect(await stage.ok('getApiKey', { apiKeyId })).toEqual(after);
      const again = await stage.ok('updateApiKey', { apiKeyId, status: 'ACTIVE' });
      expect(again).toMatchObject({ status: 'ACTIVE', updatedById: stage.caller.userId, createdAt: before.createdAt });
      const repeated = await stage.ok('updateApiKey', { apiKeyId, status: 'ACTIVE' });
      expect({ ...repeated, updatedAt: again.updatedAt }).toEqual(again);
      expect((await stage.ok('getUser', {}, rawApiKey)).userId).toBe(stage.caller.userId);
    },
  },
  {
    name: 'an id may be given, once',
    async run(stage) {
      const apiKeyId = randomUUID();
      const { apiKeyMetadata } = await stage.ok('createApiKey', { apiKeyId: apiKeyId.toUpperCase() });
      expect(apiKeyMetadata.apiKeyId).toBe(apiKeyId);
      await stage.refused('createApiKey', { apiKeyId }, 'ALREADY_EXISTS');
    },
  },
  {
    name: 'keys of others need the _ANY permission',
    async run(stage) {
      const ada = await stage.person();
      const bob = await stage.person();
      const bobs = (await stage.ok('listApiKeys', { userId: bob.userId })).keys;
      expect(bobs).toHaveLength(1);
      expect(bobs[0]).toMatchObject({ userId: bob.userId, createdById: stage.caller.userId });
      const { apiKeyId } = bobs[0];
      const denied = { as: ada.key };
      await stage.refused('createApiKey', { userId: bob.userId }, 'PERMISSION_DENIED', denied);
      await stage.refused('listApiKeys', { userId: bob.userId }, 'PERMISSION_DENIED', denied);
      await stage.refused('getApiKey', { apiKeyId }, 'PERMISSION_DENIED', denied);
      await stage.refused('updateApiKey', { apiKeyId, status: 'INACTIVE' }, 'PERMISSION_DENIED', denied);
      await stage.refused('deleteApiKey', { apiKeyId }, 'PERMISSION_DENIED', denied);
      const own = await stage.ok('listApiKeys', {}, ada.key);
      expect(own.keys.map((key: Json) => key.userId)).toEqual([ada.userId]);
      expect((await stage.ok('listApiKeys', { userId: ada.userId }, ada.key)).keys).toHaveLength(1);
      const ghost = randomUUID();
      await stage.refused('createApiKey', { userId: ghost }, 'NOT_FOUND', { message: `User not found: ${ghost}` });
      await stage.refused('listApiKeys', { userId: ghost }, 'NOT_FOUND', { message: `User not found: ${ghost}` });
    },
  },
  {
    name: 'an admin lists its own keys unless it asks for others',
    async run(stage) {
      const admin = await stage.person('ADMIN');
      const { keys } = await stage.ok('listApiKeys', {}, admin.key);
      expect(keys.map((key: Json) => key.userId)).toEqual([admin.userId]);
      const ada = await stage.person();
      const others = (await stage.ok('listApiKeys', { userId: ada.userId }, admin.key)).keys;
      expect(others.map((key: Json) => key.userId)).toEqual([ada.userId]);
      expect(JSON.stringify(others)).not.toMatch(/raw|hash/i);
    },
  },
  {
    name: 'a read-only key reads and lists, and writes nothing',
    async run(stage) {
      const created = await stage.ok('createApiKey', { restrictions: { readOnly: true } });
      expect(created.apiKeyMetadata.restrictions).toMatchObject({ readOnly: true });
      const as = created.rawApiKey;
      await stage.ok('listSpaces', {}, as);
      await stage.ok('getUser', {}, as);
      await stage.refused('createSpace', { name: unique('s') }, 'PERMISSION_DENIED', { as });
      await stage.refused('createApiKey', {}, 'PERMISSION_DENIED', { as });
      const { apiKeyId } = created.apiKeyMetadata;
      const { spaceId } = await stage.space();
      for (const [operation, request] of [
        ['updateApiKey', { apiKeyId }],
        ['deleteApiKey', { apiKeyId }],
        ['updateSpace', { spaceId }],
        ['deleteSpace', { spaceId }],
      ] as const) {
        await stage.refused(operation, request, 'PERMISSION_DENIED', { as });
      }
      const { keys } = await stage.ok('listApiKeys', {}, as);
      expect(keys.map((key: Json) => key.apiKeyId)).toContain(apiKeyId);
      expect((await stage.ok('getSpace', { spaceId })).spaceId).toBe(spaceId);
    },
  },
  {
    name: 'a restricted key is listed with its restrictions, and is refused at once when it is deleted',
    async run(stage) {
      const [one, two] = [await stage.space(), await stage.space()];
      const spaceIds = [one.spaceId, two.spaceId].sort();
      const { apiKeyMetadata, rawApiKey: as } = await stage.ok('createApiKey', {
        restrictions: { readOnly: true, spaceIds },
      });
      const { apiKeyId } = apiKeyMetadata;
      const shown = (await stage.ok('listApiKeys')).keys.find((key: Json) => key.apiKeyId === apiKeyId);
      for (const { restrictions } of [apiKeyMetadata, shown, await stage.ok('getApiKey', { apiKeyId })]) {
        expect({ ...restrictions, spaceIds: restrictions.spaceIds.toSorted() }).toEqual({ readOnly: true, spaceIds });
      }
      expect((await stage.ok('listSpaces', {}, as)).spaces).toHaveLength(2);
      await stage.ok('deleteSpace', { spaceId: two.spaceId });
      expect((await stage.ok('listSpaces', {}, as)).spaces.map((space: Json) => space.spaceId)).toEqual([one.spaceId]);
      await stage.ok('deleteApiKey', { apiKeyId });
      await stage.refused('listSpaces', {}, 'UNAUTHENTICATED', { as });
      expect((await stage.ok('listApiKeys')).keys.map((key: Json) => key.apiKeyId)).not.toContain(apiKeyId);
    },
  },
  {
    name: 'a space-bound key sees its space and nothing else',
    async run(stage) {
      const mine = await stage.space();
      const other = await stage.space();
      const as = await stage.key({ restrictions: { spaceIds: [mine.spaceId] } });
      expect((await stage.ok('getSpace', { spaceId: mine.spaceId }, as)).name).toBe(mine.name);
      const { spaces } = await stage.ok('listSpaces', {}, as);
      expect(spaces.map((space: Json) => space.spaceId)).toEqual([mine.spaceId]);
      await stage.refused('getSpace', { spaceId: other.spaceId }, 'PERMISSION_DENIED', { as });
      await stage.refused('updateSpace', { spaceId: other.spaceId }, 'PERMISSION_DENIED', { as });
      await stage.refused('deleteSpace', { spaceId: other.spaceId }, 'PERMISSION_DENIED', { as });
      await stage.refused('createSpace', { name: unique('s') }, 'PERMISSION_DENIED', { as });
      await stage.refused('listApiKeys', {}, 'PERMISSION_DENIED', { as });
      await stage.refused('listUsers', {}, 'PERMISSION_DENIED', { as });
      await stage.ok('getEmbedder', { embedderId: await stage.embedder() }, as);
      await stage.refused('deleteEmbedder', { embedderId: await stage.embedder() }, 'PERMISSION_DENIED', { as });
    },
  },
  {
    name: 'restrictions are checked when given and never change',
    async run(stage) {
      const ghost = randomUUID();
      const missing = { restrictions: { spaceIds: [ghost] } };
      await stage.refused('createApiKey', missing, 'NOT_FOUND', { message: `Space not found: ${ghost}` });
      const ada = await stage.person();
      const hidden = await stage.space();
      const foreign = { restrictions: { spaceIds: [hidden.spaceId] } };
      await stage.refused('createApiKey', foreign, 'PERMISSION_DENIED', { as: ada.key });
      const many = { restrictions: { spaceIds: Array.from({ length: 101 }, () => randomUUID()) } };
      await stage.refused('createApiKey', many, 'INVALID_ARGUMENT', { details: 'restrictions.spaceIds' });
      for (const restrictions of [undefined, {}, { readOnly: false }]) {
        const { apiKeyMetadata } = await stage.ok('createApiKey', { restrictions });
        expect(apiKeyMetadata).not.toHaveProperty('restrictions');
      }
      const { apiKeyMetadata } = await stage.ok('createApiKey', {});
      const update = { apiKeyId: apiKeyMetadata.apiKeyId, restrictions: { readOnly: true } };
      await stage.refused('updateApiKey', update, 'INVALID_ARGUMENT', { details: 'immutable' });
    },
  },
];
