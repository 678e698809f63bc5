import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { unique } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';
import type { Scenario } from '../scenario.fixture.ts';

const DEFAULT_CHUNKING = {
  recursive: {
    chunkSize: 512,
    chunkOverlap: 64,
    separators: ['\n\n', '\n', ' ', ''],
    keepStrategy: 'KEEP_END',
    separatorIsRegex: false,
    lengthMeasurement: 'CHARACTER_COUNT',
  },
};
const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, `v${n}`]));

export const spaces: readonly Scenario[] = [
  {
    name: 'create answers with the whole record, and get with the same',
    async run(stage) {
      const embedderId = await stage.embedder();
      const name = unique('house');
      const space = await stage.ok('createSpace', { name, embedderId, labels: { team: 'home' } });
      const audit = {
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
        createdById: stage.caller.userId,
        updatedById: stage.caller.userId,
      };
      expect(space).toEqual({
        spaceId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        name,
        labels: { team: 'home' },
        spaceEmbedders: [{ spaceId: space.spaceId, embedderId, defaultRetrievalWeight: 1, ...audit }],
        ...audit,
        ownerId: stage.caller.userId,
        publicRead: false,
        giveUpAfterMinutes: 60,
        defaultChunkingConfig: DEFAULT_CHUNKING,
      });
      expect(await stage.ok('getSpace', { spaceId: space.spaceId })).toEqual(space);
      expect(await stage.ok('getSpace', { spaceId: space.spaceId.toUpperCase() })).toEqual(space);
    },
  },
  {
    name: 'statistics are included on request, for every caller who may read the space',
    async run(stage) {
      const empty = await stage.space({ publicRead: true });
      const full = await stage.space({ publicRead: true });
      const { spaceId } = full;
      for (const originalContent of ['four', 'äö']) {
        await stage.ok('createMemory', { spaceId, contentType: 'text/plain', originalContent });
      }
      const statistics = { memoryCount: 2, contentBytes: 8 };
      expect(await stage.ok('getSpace', { spaceId, includeStatistics: true })).toEqual({ ...full, statistics });
      expect(await stage.ok('getSpace', { spaceId })).toEqual(full);
      const query = { ownerId: stage.caller.userId, maxResults: 2, includeStatistics: true };
      const { spaces: listed } = await stage.ok('listSpaces', query);
      expect(listed).toEqual([
        { ...full, statistics },
        { ...empty, statistics: { memoryCount: 0, contentBytes: 0 } },
      ]);
      const { key } = await stage.person();
      expect(await stage.ok('getSpace', { spaceId, includeStatistics: true }, key)).toEqual({ ...full, statistics });
    },
  },
  {
    name: 'vectorQuantization is shown where it was asked for, and needs 1,024 dimensions',
    async run(stage) {
      const embedder = (dimensionality: number) =>
        stage.ok('createEmbedder', {
          displayName: unique('e'),
          providerType: 'VLLM',
          endpointUrl: 'https://models.example.org',
          modelIdentifier: unique('m'),
          dimensionality,
        });
      const [wide, narrow] = [await embedder(1024), await embedder(1023)];
      const vectorQuantization = 'BINARY';
      const { spaceId, ...space } = await stage.space({ embedderId: wide.embedderId, vectorQuantization });
      expect(space.vectorQuantization).toBe(vectorQuantization);
      expect((await stage.ok('getSpace', { spaceId })).vectorQuantization).toBe(vectorQuantization);
      const plain = await stage.space({ embedderId: narrow.embedderId, vectorQuantization: 'NONE' });
      expect(plain.vectorQuantization).toBeUndefined();
      const request = { name: unique('s'), embedderId: narrow.embedderId, vectorQuantization };
      const field = { details: 'vectorQuantization' };
      await stage.refused('createSpace', request, 'INVALID_ARGUMENT', field);
    },
  },
  {
    name: 'giveUpAfterMinutes is an hour unless told, and can be changed',
    async run(stage) {
      const { spaceId, giveUpAfterMinutes } = await stage.space({ giveUpAfterMinutes: 1440 });
      expect(giveUpAfterMinutes).toBe(1440);
      expect((await stage.ok('updateSpace', { spaceId, giveUpAfterMinutes: 1 })).giveUpAfterMinutes).toBe(1);
      expect((await stage.ok('getSpace', { spaceId })).giveUpAfterMinutes).toBe(1);
      const field = { details: 'giveUpAfterMinutes' };
      for (const wrong of [0, -1, 1441]) {
        await stage.refused('updateSpace', { spaceId, giveUpAfterMinutes: wrong }, 'INVALID_ARGUMENT', field);
        const request = { name: unique('s'), giveUpAfterMinutes: wrong };
        await stage.refused('createSpace', request, 'INVALID_ARGUMENT', field);
      }
    },
  },
  {
    name: 'description and retentionDays are shown when set; retentionDays can be removed',
    async run(stage) {
      const space = await stage.space({ description: 'all of it', retentionDays: 36500, publicRead: true });
      expect(space).toMatchObject({ description: 'all of it', retentionDays: 36500, publicRead: true });
      const { spaceId } = space;
      expect((await stage.ok('updateSpace', { spaceId, retentionDays: 1 })).retentionDays).toBe(1);
      expect(await stage.ok('updateSpace', { spaceId, retentionDays: 0 })).not.toHaveProperty('retentionDays');
      const field = { details: 'retentionDays' };
      for (const retentionDays of [-1, 36501]) {
        await stage.refused('updateSpace', { spaceId, retentionDays }, 'INVALID_ARGUMENT', field);
      }
      await stage.refused('createSpace', { name: unique('s'), retentionDays: 0 }, 'INVALID_ARGUMENT', field);
      const long = { name: unique('s'), description: 'x'.repeat(1025) };
      await stage.refused('createSpace', long, 'INVALID_ARGUMENT', { details: 'description' });
    },
  },
  {
    name: 'a name has 1 to 255 code points, however many UTF-16 units those are',
    async run(stage) {
      const long = unique('').padEnd(255, 'x');
      expect((await stage.space({ name: long })).name).toBe(long);
      const wide = `${unique('')}${'😀'.repeat(255 - unique('').length)}`;
      expect([...wide]).toHaveLength(255);
      const { spaceId, name } = await stage.space({ name: wide });
      expect(name).toBe(wide);
      const embedderId = await stage.embedder();
      for (const bad of ['', 'x'.repeat(256), '😀'.repeat(256)]) {
        await stage.refused('createSpace', { name: bad, embedderId }, 'INVALID_ARGUMENT', { details: /^name: / });
        await stage.refused('updateSpace', { spaceId, name: bad }, 'INVALID_ARGUMENT', { details: /^name: / });
      }
      await stage.refused('createSpace', { embedderId }, 'INVALID_ARGUMENT', { details: /^name: / });
      await stage.refused('createSpace', { name: 'a\0b', embedderId }, 'INVALID_ARGUMENT', { details: /^name: / });
    },
  },
  {
    name: 'a name is unique per owner, case-sensitively',
    async run(stage) {
      const { name } = await stage.space();
      const embedderId = await stage.embedder();
      await stage.refused('createSpace', { name, embedderId }, 'ALREADY_EXISTS');
      await stage.space({ name: name.toUpperCase() });
      const ada = await stage.person();
      await stage.space({ name }, ada.key);
      const other = await stage.space();
      await stage.refused('updateSpace', { spaceId: other.spaceId, name }, 'ALREADY_EXISTS');
      expect((await stage.ok('updateSpace', { spaceId: other.spaceId, name: other.name })).name).toBe(other.name);
    },
  },
  {
    name: 'of concurrent creates of one name one succeeds',
    async run(stage) {
      const request = { name: unique('race'), embedderId: await stage.embedder() };
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => stage.wire.call('createSpace', request, { key: stage.caller.key })),
      );
      const codes = answers.map((answer) => (answer.ok ? 'ok' : answer.code)).sort();
      expect(codes).toEqual([...Array(7).fill('ALREADY_EXISTS'), 'ok']);
    },
  },
  {
    name: 'an id may be given, once',
    async run(stage) {
      const spaceId = randomUUID();
      expect((await stage.space({ spaceId: spaceId.toUpperCase() })).spaceId).toBe(spaceId);
      const again = { spaceId, name: unique('s'), embedderId: await stage.embedder() };
      await stage.refused('createSpace', again, 'ALREADY_EXISTS');
    },
  },
  {
    name: 'embedders: one to eight, weighted, known, readable, each once',
    async run(stage) {
      const embedderId = await stage.embedder();
      const second = await stage.ok('createEmbedder', {
        displayName: 'second',
        providerType: 'BUILTIN',
        modelIdentifier: 'lexical-v1',
        dimensionality: 32,
        labels: { name: unique('e') },
        ownerId: (await stage.person()).userId,
      });
      const space = await stage.ok('createSpace', {
        name: unique('two'),
        spaceEmbedders: [{ embedderId, defaultRetrievalWeight: -0.5 }, { embedderId: second.embedderId }],
      });
      const weights = space.spaceEmbedders.map((row: Json) => [row.embedderId, row.defaultRetrievalWeight]);
      expect(weights).toEqual([
        [embedderId, -0.5],
        [second.embedderId, 1],
      ]);
      const name = unique('s');
      const create = (more: object, code: 'INVALID_ARGUMENT' | 'NOT_FOUND' | 'PERMISSION_DENIED', refusal = {}) =>
        stage.refused('createSpace', { name, ...more }, code, refusal);
      await create({ embedderId, spaceEmbedders: [{ embedderId }] }, 'INVALID_ARGUMENT');
      await create({ spaceEmbedders: [{ embedderId }, { embedderId }] }, 'INVALID_ARGUMENT');
      await create({ spaceEmbedders: [{ embedderId: 'x' }] }, 'INVALID_ARGUMENT', {
        details: 'spaceEmbedders[0].embedderId: not a UUID',
      });
      await create({ spaceEmbedders: [{}] }, 'INVALID_ARGUMENT', { details: 'spaceEmbedders[0].embedderId' });
      const nine = Array.from({ length: 9 }, () => ({ embedderId: randomUUID() }));
      await create({ spaceEmbedders: nine }, 'INVALID_ARGUMENT', { details: 'spaceEmbedders' });
      const ghost = randomUUID();
      await create({ embedderId: ghost }, 'NOT_FOUND', { message: `Embedder not found: ${ghost}` });
      const ada = await stage.person();
      await create({ embedderId: second.embedderId }, 'PERMISSION_DENIED', { as: ada.key });
    },
  },
  {
    name: 'labels: twenty at most; replaced or merged, never both',
    async run(stage) {
      const { spaceId } = await stage.space({ labels: labels(20) });
      const field = { details: /labels/i };
      await stage.refused('createSpace', { name: unique('s'), labels: labels(21) }, 'INVALID_ARGUMENT', field);
      await stage.refused('updateSpace', { spaceId, mergeLabels: { more: 'x' } }, 'INVALID_ARGUMENT', field);
      const merged = await stage.ok('updateSpace', { spaceId, mergeLabels: { k3: 'new' } });
      expect(merged.labels).toEqual({ ...labels(20), k3: 'new' });
      const replaced = await stage.ok('updateSpace', { spaceId, replaceLabels: { only: '' } });
      expect(replaced.labels).toEqual({ only: '' });
      expect((await stage.ok('updateSpace', { spaceId, replaceLabels: {} })).labels).toEqual({});
      await stage.refused('updateSpace', { spaceId, replaceLabels: {}, mergeLabels: {} }, 'INVALID_ARGUMENT');
      const nul = { spaceId, mergeLabels: { a: 'b\0' } };
      await stage.refused('updateSpace', nul, 'INVALID_ARGUMENT', field);
    },
  },
  {
    name: 'update keeps what is not given; null is the same as left out',
    async run(stage) {
      const before = await stage.space({ labels: { a: 'b' }, publicRead: true, description: 'd' });
      const { spaceId } = before;
      expect(await stage.ok('updateSpace', { spaceId })).toEqual(before);
      const nulls = { spaceId, name: null, publicRead: null, replaceLabels: null, mergeLabels: null };
      expect(await stage.ok('updateSpace', nulls)).toEqual(before);
      const name = unique('renamed');
      const admin = await stage.person('ADMIN');
      await stage.later(before.updatedAt);
      const after = await stage.ok('updateSpace', { spaceId, name, publicRead: false }, admin.key);
      const audit = { updatedAt: after.updatedAt, updatedById: admin.userId };
      expect(after).toEqual({ ...before, name, publicRead: false, ...audit });
      expect(after.updatedAt).toBeGreaterThan(before.updatedAt);
      expect(await stage.ok('getSpace', { spaceId })).toEqual(after);
      expect(await stage.ok('updateSpace', { spaceId, name, publicRead: false })).toMatchObject({ name });
    },
  },
  {
    name: 'immutable fields are refused',
    async run(stage) {
      const before = await stage.space();
      const { spaceId } = before;
      const fields = {
        spaceEmbedders: [{ embedderId: await stage.embedder() }],
        defaultChunkingConfig: { none: {} },
        ownerId: stage.caller.userId,
        description: 'new',
        vectorQuantization: 'BINARY',
      };
      for (const [name, value] of Object.entries(fields)) {
        const details = new RegExp(`${name}.*immutable`);
        const update = { spaceId, name: unique('renamed'), publicRead: true, [name]: value };
        await stage.refused('updateSpace', update, 'INVALID_ARGUMENT', { details });
      }
      for (const name of ['createdAt', 'updatedAt', 'createdById', 'updatedById', 'statistics']) {
        await stage.refused('updateSpace', { spaceId, [name]: 1 }, 'INVALID_ARGUMENT', { details: `${name}: unknown` });
      }
      expect(await stage.ok('getSpace', { spaceId })).toEqual(before);
    },
  },
  {
    name: 'chunking configs get defaults and have limits',
    async run(stage) {
      const given = (defaultChunkingConfig: object) => stage.space({ defaultChunkingConfig });
      expect((await given({ none: {} })).defaultChunkingConfig).toEqual({ none: {} });
      expect((await given({ recursive: { chunkSize: 10 } })).defaultChunkingConfig).toEqual({
        recursive: { ...DEFAULT_CHUNKING.recursive, chunkSize: 10, chunkOverlap: 0 },
      });
      expect((await given({ sentence: { maxChunkSize: 90 } })).defaultChunkingConfig).toEqual({
        sentence: {
          maxChunkSize: 90,
          minChunkSize: 0,
          enableLanguageDetection: false,
          lengthMeasurement: 'CHARACTER_COUNT',
        },
      });
      const bad = [
        { recursive: {} },
        { recursive: { chunkSize: 0 } },
        { recursive: { chunkSize: 100_001 } },
        { recursive: { chunkSize: 10, chunkOverlap: 10 } },
        { recursive: { chunkSize: 10, separators: ['('], separatorIsRegex: true } },
        { recursive: { chunkSize: 10, lengthMeasurement: 'CUSTOM' } },
        { sentence: { maxChunkSize: 10, minChunkSize: 11 } },
        { recursive: { chunkSize: 10 }, none: {} },
      ];
      for (const defaultChunkingConfig of bad) {
        const request = { name: unique('s'), embedderId: await stage.embedder(), defaultChunkingConfig };
        await stage.refused('createSpace', request, 'INVALID_ARGUMENT', { details: 'defaultChunkingConfig' });
      }
    },
  },
  {
    name: 'a space of another user is PERMISSION_DENIED unless it is public, and public ones are read only',
    async run(stage) {
      const ada = await stage.person();
      const hidden = await stage.space();
      const open = await stage.space({ publicRead: true });
      const as = ada.key;
      for (const operation of ['getSpace', 'updateSpace', 'deleteSpace'] as const) {
        await stage.refused(operation, { spaceId: hidden.spaceId }, 'PERMISSION_DENIED', { as });
      }
      expect(await stage.ok('getSpace', { spaceId: open.spaceId }, as)).toEqual(open);
      await stage.refused('updateSpace', { spaceId: open.spaceId, name: 'mine' }, 'PERMISSION_DENIED', { as });
      await stage.refused('deleteSpace', { spaceId: open.spaceId }, 'PERMISSION_DENIED', { as });
      await stage.ok('updateSpace', { spaceId: open.spaceId, publicRead: false });
      await stage.refused('getSpace', { spaceId: open.spaceId }, 'PERMISSION_DENIED', { as });
    },
  },
  {
    name: 'an owner can be given with CREATE_SPACE_ANY; an admin reaches every space',
    async run(stage) {
      const ada = await stage.person();
      const bob = await stage.person();
      const space = await stage.space({ ownerId: ada.userId });
      expect(space).toMatchObject({ ownerId: ada.userId, createdById: stage.caller.userId });
      expect((await stage.space({ ownerId: ada.userId }, ada.key)).ownerId).toBe(ada.userId);
      const foreign = { name: unique('s'), ownerId: bob.userId, embedderId: await stage.embedder() };
      await stage.refused('createSpace', foreign, 'PERMISSION_DENIED', { as: ada.key });
      const ghost = { name: unique('s'), ownerId: randomUUID(), embedderId: await stage.embedder() };
      await stage.refused('createSpace', ghost, 'NOT_FOUND', { message: `User not found: ${ghost.ownerId}` });
      const admin = await stage.person('ADMIN');
      const renamed = { spaceId: space.spaceId, name: unique('s') };
      expect((await stage.ok('updateSpace', renamed, admin.key)).updatedById).toBe(admin.userId);
      await stage.ok('deleteSpace', { spaceId: space.spaceId }, admin.key);
    },
  },
  {
    name: 'a second delete is NOT_FOUND',
    async run(stage) {
      const { spaceId } = await stage.space();
      await stage.ok('deleteSpace', { spaceId });
      const message = `Space not found: ${spaceId}`;
      for (const operation of ['getSpace', 'updateSpace', 'deleteSpace'] as const) {
        await stage.refused(operation, { spaceId }, 'NOT_FOUND', { message });
        await stage.refused(operation, { spaceId: 'no-uuid' }, 'INVALID_ARGUMENT', { details: 'spaceId: not a UUID' });
      }
    },
  },
];
