import { beforeAll, expect, test } from 'vitest';
import { SortOrder } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { ProcessingStatus } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { failure, sql, UNKNOWN_ID } from '../identity.fixture.ts';
import { useMemoryWorld } from '../memory.fixture.ts';

const world = useMemoryWorld();
let spaceId: string;
/** In the order of their creation. */
const ids: string[] = [];

beforeAll(async () => {
  spaceId = await world.space();
  for (let number = 0; number < 7; number += 1) {
    const contentType = ['text/plain', 'text/markdown', 'text/csv'][number % 3];
    const memory = await world.remember(spaceId, `text ${number}`, { contentType, metadata: { number } });
    ids.push(memory.memoryId);
  }
});

/** Numbers of all memories, read in pages. */
async function listed(request: object, maxResults = 3): Promise<unknown[]> {
  const numbers: unknown[] = [];
  let nextToken: string | undefined;
  do {
    const more: object = nextToken === undefined ? {} : { nextToken };
    const page = await world.memory('listMemories', { spaceId, maxResults, ...request, ...more });
    expect(page.memories.length).toBeLessThanOrEqual(maxResults);
    numbers.push(...page.memories.map(({ metadata }) => metadata?.number));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return numbers;
}

test('newest first, in pages without gap or overlap', async () => {
  expect(await listed({})).toEqual([6, 5, 4, 3, 2, 1, 0]);
  expect(await listed({ sortOrder: SortOrder.ASCENDING })).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(await listed({ sortBy: 'updated_at' }, 2)).toEqual([6, 5, 4, 3, 2, 1, 0]);
});

test('by content type and by status, every memory once', async () => {
  const types = await listed({ sortBy: 'content_type', sortOrder: SortOrder.ASCENDING }, 2);
  expect(types.map((number) => (number as number) % 3)).toEqual([2, 2, 1, 1, 0, 0, 0]);
  expect((await listed({ sortBy: 'processing_status' }, 2)).sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(await failure(listed({ sortBy: 'size' }))).toMatch(/^INVALID_ARGUMENT .*sortBy: /);
});

test('equal times are ordered by id, without gap or overlap of pages', async () => {
  const other = await world.space();
  const made = await Promise.all([1, 2, 3, 4, 5].map((number) => world.remember(other, 'x', { metadata: { number } })));
  const moment = `update memory set created_at = '2026-01-01', updated_at = '2026-01-01' where space_id = $1`;
  await sql(world.db, moment, [other]);
  const byId = made.sort((a, b) => (a.memoryId < b.memoryId ? -1 : 1)).map(({ metadata }) => metadata?.number);
  for (const sortBy of ['created_at', 'updated_at', 'content_type', 'processing_status']) {
    const request = { spaceId: other, sortBy };
    expect(await listed({ ...request, sortOrder: SortOrder.ASCENDING }, 2)).toEqual(byId);
    expect(await listed(request, 1)).toEqual([...byId].reverse());
  }
});

test('filters by metadata, fields and status', async () => {
  expect(await listed({ filter: "CAST(val('$.number') AS NUMERIC) >= 4" }, 2)).toEqual([6, 5, 4]);
  expect(await listed({ filter: "field('contentType') = 'text/csv'" })).toEqual([5, 2]);
  expect(await listed({ statusFilter: ProcessingStatus.PENDING })).toHaveLength(7);
  expect(await listed({ statusFilter: ProcessingStatus.FAILED })).toEqual([]);
  expect(await failure(listed({ filter: 'val(' }))).toMatch(
    /^INVALID_ARGUMENT \| Invalid filter: Parse error at line 1/,
  );
});

test('content and history are included on request', async () => {
  const plain = await world.memory('listMemories', { spaceId, maxResults: 1 });
  expect(plain.memories[0]?.originalContent).toBeUndefined();
  expect(plain.memories[0]?.processingHistory).toBeUndefined();
  const full = await world.memory('listMemories', { spaceId, includeContent: true, includeProcessingHistory: true });
  expect(full.memories.map(({ originalContent }) => Buffer.from(originalContent ?? []).toString())).toEqual(
    [6, 5, 4, 3, 2, 1, 0].map((number) => `text ${number}`),
  );
  expect(full.memories.every(({ processingHistory }) => processingHistory?.latestJob !== undefined)).toBe(true);
});

test('a token is valid for its list only', async () => {
  const { nextToken = '' } = await world.memory('listMemories', { spaceId, maxResults: 2 });
  expect(await failure(world.memory('listMemories', { spaceId, maxResults: 2, nextToken, filter: 'TRUE' }))).toMatch(
    /^INVALID_ARGUMENT .*nextToken/,
  );
});

test('permissions to list', async () => {
  expect(await failure(world.memory('listMemories', { spaceId: UNKNOWN_ID }))).toMatch(/^NOT_FOUND /);
  expect(await failure(world.memory('listMemories', { spaceId }, world.bob))).toMatch(/^PERMISSION_DENIED /);
  expect((await world.memory('listMemories', { spaceId }, world.admin)).memories).toHaveLength(7);
  const bound = await world.keyFor(world.ada, { restrictions: { spaceIds: [await world.space()] } });
  expect(await failure(world.memory('listMemories', { spaceId }, bound))).toMatch(/^PERMISSION_DENIED /);
});
