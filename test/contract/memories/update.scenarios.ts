import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { raw } from '../../support/raw-rest.ts';
import type { Stage } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';
import type { Scenario } from '../scenario.fixture.ts';

const DAY = 86_400_000;

/** A memory that no worker will touch, in whatever state it is. */
function stored(stage: Stage, metadata: object, more: object = {}): Promise<Json> {
  return stage.memory({ metadata, waitMs: 0, ...more });
}

const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));

export const memoryUpdates: readonly Scenario[] = [
  {
    name: 'metadata is replaced or merged, member by member',
    async run(stage) {
      const admin = await stage.person('ADMIN');
      const first = { room: 'cellar', tags: ['heating'], nested: { a: 1, b: null }, none: null };
      const { memoryId } = await stage.memory({ metadata: first });
      const before = await stage.ok('getMemory', { memoryId });
      expect(before.metadata).toEqual(first);
      expect(await stage.ok('updateMemory', { memoryId }, admin.key)).toEqual(before);

      const mergeMetadata = { room: 'attic', tags: null, nested: { c: 2 }, __proto__: undefined };
      await stage.later(before.updatedAt);
      const merged = await stage.ok('updateMemory', { memoryId, mergeMetadata }, admin.key);
      expect(merged).toEqual({
        ...before,
        metadata: { room: 'attic', nested: { c: 2 }, none: null },
        updatedAt: expect.any(Number),
        updatedById: admin.userId,
      });
      expect(merged.updatedAt).toBeGreaterThan(before.updatedAt);
      expect(await stage.ok('getMemory', { memoryId })).toEqual(merged);

      const replaced = await stage.ok('updateMemory', { memoryId, replaceMetadata: { only: { deep: null }, x: null } });
      expect(replaced.metadata).toEqual({ only: { deep: null }, x: null });
      expect(replaced.updatedById).toBe(stage.caller.userId);
      expect((await stage.ok('updateMemory', { memoryId, replaceMetadata: {} })).metadata).toEqual({});
      expect((await stage.ok('updateMemory', { memoryId, mergeMetadata: { new: 1, gone: null } })).metadata).toEqual({
        new: 1,
      });
    },
  },
  {
    name: 'filters see the new metadata; content, chunks and jobs stay as they were',
    async run(stage) {
      const { memoryId, spaceId } = await stage.memory({ metadata: { room: 'cellar' } });
      const before = await stage.ok('getMemory', { memoryId, includeProcessingHistory: true });
      const { chunks } = await stage.ok('listChunks', { memoryId });
      await stage.ok('updateMemory', { memoryId, mergeMetadata: { room: 'attic' } });
      const found = async (room: string) => {
        const filter = `val('$.room') = '${room}'`;
        return (await stage.ok('listMemories', { spaceId, filter })).memories.length;
      };
      expect([await found('cellar'), await found('attic')]).toEqual([0, 1]);
      const after = await stage.ok('getMemory', { memoryId, includeProcessingHistory: true });
      expect(after.processingHistory).toEqual(before.processingHistory);
      expect(after.originalContentSha256).toBe(before.originalContentSha256);
      expect((await stage.ok('listChunks', { memoryId })).chunks).toEqual([
        { ...chunks[0], updatedById: after.updatedById },
      ]);
    },
  },
  {
    name: 'concurrent merges are all kept',
    async run(stage) {
      const { memoryId } = await stored(stage, { first: true });
      const numbers = Array.from({ length: 12 }, (_, n) => n);
      await Promise.all(
        numbers.map((n) => stage.ok('updateMemory', { memoryId, mergeMetadata: { [`k${n}`]: n, first: null } })),
      );
      expect((await stage.ok('getMemory', { memoryId })).metadata).toEqual(members(12));
    },
  },
  {
    name: 'the limits hold for the merged result',
    async run(stage) {
      const { memoryId } = await stored(stage, members(50));
      const refused = (update: object, details: RegExp) =>
        stage.refused('updateMemory', { memoryId, ...update }, 'INVALID_ARGUMENT', { details });
      await refused({ mergeMetadata: { one: 'more' } }, /^mergeMetadata: the result .*50/);
      await refused({ replaceMetadata: members(51) }, /^replaceMetadata: .*50/);
      await refused({ replaceMetadata: { big: 'x'.repeat(262_145) } }, /^replaceMetadata: .*262144/);
      await refused({ mergeMetadata: { k0: 'x'.repeat(262_145) } }, /^mergeMetadata: .*262144/);
      await refused({ mergeMetadata: { 'a\0': 1 } }, /^mergeMetadata/);
      const swapped = await stage.ok('updateMemory', { memoryId, mergeMetadata: { k0: null, one: 'more' } });
      expect(Object.keys(swapped.metadata)).toHaveLength(50);
      const half = { mergeMetadata: { k1: 'x'.repeat(200_000) } };
      await stage.ok('updateMemory', { memoryId, ...half });
      await refused({ mergeMetadata: { k2: 'x'.repeat(100_000) } }, /^mergeMetadata: the result .*262144/);
      expect((await stage.ok('getMemory', { memoryId })).metadata.k2).toBe(2);
    },
  },
  {
    name: 'expiry is set, changed and removed, and never lies in the past',
    async run(stage) {
      const { memoryId } = await stored(stage, { a: 1 });
      const expiresAt = Date.now() + DAY;
      const dated = await stage.ok('updateMemory', { memoryId, expiresAt });
      expect(dated).toMatchObject({ expiresAt, metadata: { a: 1 } });
      expect(await stage.ok('updateMemory', { memoryId, mergeMetadata: { b: 2 } })).toMatchObject({ expiresAt });
      const past = { memoryId, expiresAt: Date.now() - 1000 };
      await stage.refused('updateMemory', past, 'INVALID_ARGUMENT', { details: 'expiresAt: is in the past' });
      expect(await stage.ok('updateMemory', { memoryId, expiresAt: 0 })).not.toHaveProperty('expiresAt');
    },
  },
  {
    name: 'everything else is immutable',
    async run(stage) {
      const { memoryId, spaceId } = await stored(stage, {});
      const immutable: object[] = [
        { spaceId },
        { contentType: 'text/html' },
        { originalContent: 'y' },
        { originalContentB64: 'eA==' },
        { originalContentRef: 'y' },
        { metadata: {} },
        { chunkingConfig: { none: {} } },
        { extractPageImages: true },
        { fileField: 'f' },
      ];
      for (const field of immutable) {
        const details = `${Object.keys(field)[0]}: immutable`;
        await stage.refused('updateMemory', { memoryId, ...field }, 'INVALID_ARGUMENT', { details });
      }
      const both = { memoryId, replaceMetadata: {}, mergeMetadata: {} };
      await stage.refused('updateMemory', both, 'INVALID_ARGUMENT', { details: /replaceMetadata or mergeMetadata/ });
      await stage.refused('updateMemory', { memoryId, foo: 1 }, 'INVALID_ARGUMENT', { details: 'foo: unknown field' });
      const own = { key: stage.caller.key, body: { memoryId } };
      const answer = await raw(stage.server, `PATCH /v1/memories/${memoryId}`, own);
      expect(answer).toMatchObject({ status: 400, error: { details: 'memoryId: immutable' } });
    },
  },
  {
    name: 'permissions to update',
    async run(stage) {
      const ada = await stage.person();
      const { memoryId, spaceId } = await stage.memory({ waitMs: 0 }, ada.key);
      const change = { memoryId, mergeMetadata: { a: 1 } };
      await stage.ok('updateMemory', change, ada.key);
      await stage.ok('updateMemory', change);
      const bob = await stage.person();
      await stage.refused('updateMemory', change, 'PERMISSION_DENIED', { as: bob.key });
      await stage.ok('updateSpace', { spaceId, publicRead: true });
      await stage.refused('updateMemory', { memoryId }, 'PERMISSION_DENIED', { as: bob.key });
      const bound = await stage.key({ restrictions: { spaceIds: [spaceId] } }, ada.key);
      await stage.ok('updateMemory', change, bound);
      const elsewhere = await stage.space({}, ada.key);
      const other = await stage.key({ restrictions: { spaceIds: [elsewhere.spaceId] } }, ada.key);
      await stage.refused('updateMemory', change, 'PERMISSION_DENIED', { as: other });
      const readOnly = await stage.key({ restrictions: { readOnly: true } }, ada.key);
      await stage.refused('updateMemory', change, 'PERMISSION_DENIED', { as: readOnly });
      const ghost = randomUUID();
      const message = `Memory not found: ${ghost}`;
      await stage.refused('updateMemory', { memoryId: ghost }, 'NOT_FOUND', { as: bob.key, message });
    },
  },
];
