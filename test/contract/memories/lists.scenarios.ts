import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Stage } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';
import type { Scenario } from '../scenario.fixture.ts';

const names = (body: Json): string[] => body.memories.map((memory: Json) => memory.metadata.name);

/** A space with a memory for every metadata, all processed. */
async function filled(stage: Stage, items: readonly Json[]): Promise<string> {
  const { spaceId } = await stage.space();
  // One after the other: the items of a batch are stored side by side, and lists are ordered by time.
  for (const { type = 'text/plain', ...metadata } of items) {
    const content = { contentType: type, originalContent: `About ${metadata.name}.`, metadata };
    await stage.ok('createMemory', { spaceId, ...content, waitMs: 60_000 });
  }
  return spaceId;
}

export const memoryLists: readonly Scenario[] = [
  {
    name: 'lists are filtered, sorted and paged',
    async run(stage) {
      const spaceId = await filled(stage, [
        { name: 'a', year: 2024, tags: ['red'] },
        { name: 'b', year: 2025, type: 'text/markdown' },
        { name: 'c', year: 2026, type: 'application/x-unknown' },
        { name: 'd' },
      ]);
      const list = async (more: object) => names(await stage.ok('listMemories', { spaceId, ...more }));
      expect(await list({})).toEqual(['d', 'c', 'b', 'a']);
      expect(await list({ sortOrder: 'ASCENDING' })).toEqual(['a', 'b', 'c', 'd']);
      expect(await list({ statusFilter: 'FAILED' })).toEqual(['c']);
      expect(await list({ statusFilter: 'COMPLETED' })).toEqual(['d', 'b', 'a']);
      expect(await list({ statusFilter: 'PENDING' })).toEqual([]);
      expect(await list({ filter: "CAST(val('$.year') AS NUMERIC) >= 2025" })).toEqual(['c', 'b']);
      expect(await list({ filter: "'red' IN val('$.tags')" })).toEqual(['a']);
      expect(await list({ filter: '  ' })).toHaveLength(4);
      const { memories } = await stage.ok('listMemories', { spaceId });
      const oldest = memories.find(({ metadata }: Json) => metadata.name === 'a');
      await stage.later(Math.max(...memories.map(({ updatedAt }: Json) => updatedAt)));
      await stage.ok('updateMemory', { memoryId: oldest.memoryId, mergeMetadata: { later: true } });
      const values = async (sortBy: string, member: string, sortOrder: string) =>
        (await stage.ok('listMemories', { spaceId, sortBy, sortOrder })).memories.map((memory: Json) => memory[member]);
      expect(await list({ sortBy: 'updated_at' })).toEqual(['a', 'd', 'c', 'b']);
      expect(await list({ sortBy: 'updated_at', sortOrder: 'ASCENDING', maxResults: 1 })).toEqual(['b']);
      const types = ['application/x-unknown', 'text/markdown', 'text/plain', 'text/plain'];
      expect(await values('content_type', 'contentType', 'ASCENDING')).toEqual(types);
      expect(await values('content_type', 'contentType', 'DESCENDING')).toEqual([...types].reverse());
      const statuses = ['COMPLETED', 'COMPLETED', 'COMPLETED', 'FAILED'];
      expect(await values('processing_status', 'processingStatus', 'ASCENDING')).toEqual(statuses);
      expect(await values('processing_status', 'processingStatus', 'DESCENDING')).toEqual([...statuses].reverse());
      for (const sortBy of ['created_at', 'updated_at', 'content_type', 'processing_status']) {
        const seen: string[] = [];
        let nextToken: string | null | undefined;
        do {
          const page = await stage.ok('listMemories', { spaceId, sortBy, maxResults: 1, nextToken });
          seen.push(...names(page));
          nextToken = page.nextToken;
        } while (nextToken !== null);
        expect([...seen].sort()).toEqual(['a', 'b', 'c', 'd']);
        expect(seen).toEqual(await list({ sortBy }));
      }
    },
  },
  {
    name: 'content and history are included on request',
    async run(stage) {
      const spaceId = await filled(stage, [{ name: 'one' }]);
      const { memories } = await stage.ok('listMemories', {
        spaceId,
        includeContent: true,
        includeProcessingHistory: true,
      });
      expect(Buffer.from(memories[0].originalContent, 'base64').toString()).toBe('About one.');
      expect(memories[0].processingHistory.latestJob.status).toBe('BACKGROUND_JOB_SUCCEEDED');
    },
  },
  {
    name: 'invalid parameters are refused',
    async run(stage) {
      const spaceId = await filled(stage, [{ name: 'a' }, { name: 'b' }]);
      const bad: [object, string | RegExp][] = [
        [{ filter: "val('$.x'" }, /^filter: expected/],
        [{ filter: "'a' + 1 = 2" }, 'filter'],
        [{ sortBy: 'size' }, 'sortBy'],
        [{ statusFilter: 'LOST' }, 'statusFilter'],
        [{ nextToken: 'nonsense' }, 'nextToken'],
      ];
      for (const [more, details] of bad) {
        await stage.refused('listMemories', { spaceId, ...more }, 'INVALID_ARGUMENT', { details });
      }
      await stage.refused('listMemories', { spaceId, filter: "val('$.x'" }, 'INVALID_ARGUMENT', {
        message: /^Invalid filter: Parse error at line 1, column \d+$/,
      });
      const { nextToken } = await stage.ok('listMemories', { spaceId, maxResults: 1 });
      const { nextToken: sorted } = await stage.ok('listMemories', { spaceId, maxResults: 1, sortBy: 'updated_at' });
      const token = { details: 'nextToken' };
      await stage.refused('listMemories', { spaceId, nextToken: sorted }, 'INVALID_ARGUMENT', token);
      const filtered = { spaceId, nextToken, filter: "field('contentType') = 'x'" };
      await stage.refused('listMemories', filtered, 'INVALID_ARGUMENT', token);
      const other = await filled(stage, [{ name: 'a' }]);
      await stage.refused('listMemories', { spaceId: other, nextToken }, 'INVALID_ARGUMENT', token);
      await stage.refused('listSpaces', { nextToken }, 'INVALID_ARGUMENT', token);
    },
  },
];

export const batches: readonly Scenario[] = [
  {
    name: 'create: one by one, in order, with a status for each',
    async run(stage) {
      const { spaceId } = await stage.space();
      const memoryId = randomUUID();
      const ghost = randomUUID();
      const item = (more: object) => ({ spaceId, contentType: 'text/plain', originalContent: 'x', ...more });
      const requests = [
        item({ memoryId }),
        item({ memoryId }),
        item({ spaceId: ghost }),
        item({ contentType: '' }),
        item({ metadata: { name: 'last' } }),
      ];
      const { results, ...rest } = await stage.ok('batchCreateMemory', { requests, waitMs: 30_000 });
      expect(rest).toEqual({});
      expect(results.map((result: Json) => [result.requestIndex, result.success])).toEqual([
        [0, true],
        [1, false],
        [2, false],
        [3, false],
        [4, true],
      ]);
      expect(results[0]).toMatchObject({ memoryId, memory: { memoryId, processingStatus: 'COMPLETED' } });
      expect(results[1].error).toMatchObject({ code: 409 });
      expect(results[2].error).toEqual({ code: 404, message: `Space not found: ${ghost}` });
      expect(results[3].error).toMatchObject({ code: 400 });
      expect((await stage.ok('listMemories', { spaceId })).memories).toHaveLength(2);
    },
  },
  {
    name: 'get: existing and missing memories',
    async run(stage) {
      const { memoryId } = await stage.memory({});
      const ghost = randomUUID();
      const memoryIds = [ghost, memoryId, 'x'];
      const { results } = await stage.ok('batchGetMemory', { memoryIds, includeContent: true });
      expect(results).toMatchObject([
        {
          success: false,
          requestIndex: 0,
          memoryId: ghost,
          error: { code: 404, message: `Memory not found: ${ghost}` },
        },
        { success: true, requestIndex: 1, memoryId, memory: { originalContent: expect.any(String) } },
        { success: false, requestIndex: 2, error: { code: 400 } },
      ]);
      const ada = await stage.person();
      const foreign = await stage.ok('batchGetMemory', { memoryIds: [memoryId] }, ada.key);
      expect(foreign.results[0].error).toMatchObject({ code: 403 });
    },
  },
  {
    name: 'delete: by id',
    async run(stage) {
      const { memoryId } = await stage.memory({});
      const ghost = randomUUID();
      const answer = await stage.ok('batchDeleteMemory', { memoryIds: [memoryId, ghost, memoryId] });
      expect(answer).toMatchObject({
        totalDeleted: 1,
        results: [
          { success: true, requestIndex: 0, memoryId, deletedCount: 1 },
          { success: false, requestIndex: 1, deletedCount: 0, error: { code: 404 } },
          { success: false, requestIndex: 2, deletedCount: 0, error: { code: 404 } },
        ],
      });
    },
  },
  {
    name: 'delete: by filter, all or nothing',
    async run(stage) {
      const spaceId = await filled(stage, [
        { name: 'a', n: 1 },
        { name: 'b', n: 2 },
        { name: 'c', n: 3 },
      ]);
      const byFilter = (filterSelector: object) => stage.ok('batchDeleteMemory', { requests: [{ filterSelector }] });
      const bad = await byFilter({ spaceId, filter: 'nonsense(' });
      expect(bad).toMatchObject({ totalDeleted: 0, results: [{ success: false, error: { code: 400 } }] });
      const two = await byFilter({ spaceId, filter: "CAST(val('$.n') AS INTEGER) > 1" });
      expect(two).toMatchObject({ totalDeleted: 2, results: [{ success: true, requestIndex: 0, deletedCount: 2 }] });
      expect(names(await stage.ok('listMemories', { spaceId }))).toEqual(['a']);
      const failed = await byFilter({ spaceId, statusFilter: 'FAILED' });
      expect(failed.totalDeleted).toBe(0);
      const all = await byFilter({ spaceId });
      expect(all.totalDeleted).toBe(1);
      const ada = await stage.person();
      const foreign = { requests: [{ filterSelector: { spaceId } }] };
      const denied = await stage.ok('batchDeleteMemory', foreign, ada.key);
      expect(denied.results[0]).toMatchObject({ success: false, error: { code: 403 } });
    },
  },
  {
    name: 'a malformed envelope is refused as a whole',
    async run(stage) {
      const id = randomUUID();
      const ids = Array.from({ length: 1001 }, () => id);
      await stage.refused('batchCreateMemory', { requests: [] }, 'INVALID_ARGUMENT', { details: 'requests' });
      await stage.refused('batchCreateMemory', { requests: ids.map(() => ({})) }, 'INVALID_ARGUMENT', {
        details: 'requests',
      });
      await stage.refused('batchGetMemory', { memoryIds: [] }, 'INVALID_ARGUMENT', { details: 'memoryIds' });
      await stage.refused('batchGetMemory', { memoryIds: ids }, 'INVALID_ARGUMENT', { details: 'memoryIds' });
      await stage.refused('batchDeleteMemory', { memoryIds: ids }, 'INVALID_ARGUMENT', { details: 'memoryIds' });
      await stage.refused('batchDeleteMemory', {}, 'INVALID_ARGUMENT');
      const both = { memoryIds: [id], requests: [{ memoryId: id }] };
      await stage.refused('batchDeleteMemory', both, 'INVALID_ARGUMENT');
    },
  },
];
