import { beforeEach, describe, expect, test } from 'vitest';
import { InsertGroups } from '../../../src/server/service/memories/insert-groups.ts';
import type { Pool } from '../../../src/server/store/db.ts';
import { commitInDoubt } from '../../../src/server/store/errors.ts';
import { insertMemories, type NewMemory } from '../../../src/server/store/memories.ts';
import { failure, signal, sql, UNKNOWN_ID } from '../identity.fixture.ts';
import { bytes, useMemoryWorld } from '../memory.fixture.ts';
import { content, idsOf, insertAll, newMemoryOf } from './insert-groups.fixture.ts';

const world = useMemoryWorld();
let spaceId: string;
/** How many memories each statement held, in their order. */
let commits: number[];
/** What the next statement of several meets before it is answered. */
let before: (() => Promise<void>) | undefined;
beforeEach(async () => {
  spaceId = await world.space();
  commits = [];
  before = undefined;
});

/** How many memories a statement stores: the length of its array of ids in the binary format. */
const rowsOf = ([, ids]: readonly unknown[]) => (Buffer.isBuffer(ids) ? ids.readInt32BE(12) : 0);

/** The requests' pool, which tells what is stored. */
function counting(): Pool {
  const { main } = world.db;
  return {
    ...main,
    query: (async (statement, values = [], options) => {
      commits.push(rowsOf(values));
      const rows = await main.query(statement, values, options);
      if (rows.length > 1) await before?.();
      return rows;
    }) as Pool['query'],
  };
}

const newMemory = (more: Partial<NewMemory> = {}) => newMemoryOf({ spaceId, createdById: world.ada.userId, ...more });
const stored = async (space = spaceId) => {
  const text = `select m.memory_id as id, p.data is not null as content, j.job_id is not null as job from memory m
    left join content_part p using (space_id, content_id) left join job j using (space_id, memory_id)
    where m.space_id = $1`;
  const rows = await sql<{ id: string; content: boolean; job: boolean }>(world.db, text, [space]);
  for (const row of rows) expect(row).toMatchObject({ content: true, job: true });
  return rows.map(({ id }) => id).sort();
};

describe('creates that arrive together', () => {
  test('are stored together, and answered in their order', async () => {
    const memories = Array.from({ length: 300 }, () => newMemory());
    const outcomes = await insertAll(new InsertGroups(counting()), memories);
    expect(commits).toEqual([128, 128, 44]);
    expect(idsOf(outcomes)).toEqual(memories.map(({ memoryId }) => memoryId));
    expect(await stored()).toEqual(memories.map(({ memoryId }) => memoryId).sort());
  });

  test('while others are being stored are stored together behind them', async () => {
    const groups = new InsertGroups(counting());
    const [first, ...others] = Array.from({ length: 20 }, () => newMemory());
    const ofFirst = insertAll(groups, first === undefined ? [] : [first]);
    await new Promise((resolve) => setImmediate(resolve));
    const outcomes = [...(await insertAll(groups, others)), ...(await ofFirst)];
    expect(commits).toEqual([1, 19]);
    expect(idsOf(outcomes)).toEqual([...others, first].map((memory) => memory?.memoryId));
  });

  test('keep what each of them says', async () => {
    const expiresAt = new Date('2100-01-02T03:04:05.678Z');
    const memories = [
      newMemory({ contentRef: 'a "ref", {of} \\ one', metadata: { b: [1, null], a: 'ä"' }, extractPageImages: true }),
      newMemory({ contentLength: 0, chunkingConfig: { none: {} }, expiresAt, contentSha256: Buffer.alloc(32, 7) }),
    ];
    const contents = [content, { kind: 'inline' as const, data: undefined }];
    const groups = new InsertGroups(counting());
    const rows = await Promise.all(
      memories.map((memory, at) => groups.insert(memory, contents[at] ?? content, signal)),
    );
    expect(commits).toEqual([2]);
    expect(rows[0]).toMatchObject({
      contentRef: 'a "ref", {of} \\ one',
      metadata: { b: [1, null], a: 'ä"' },
      extractPageImages: true,
      contentLength: 3,
      chunkingConfig: null,
      expiresAt: null,
      createdById: world.ada.userId,
    });
    expect(rows[1]).toMatchObject({
      contentRef: null,
      metadata: {},
      extractPageImages: false,
      contentLength: 0,
      contentSha256: '07'.repeat(32),
      chunkingConfig: { none: {} },
      expiresAt: expiresAt.getTime(),
    });
    const parts = await sql<{ id: string; data: Buffer }>(
      world.db,
      'select content_id as id, data from content_part where space_id = $1',
      [spaceId],
    );
    expect(parts).toEqual([{ id: memories[0]?.contentId, data: content.data }]);
  });

  test('fail one by one', async () => {
    const taken = newMemory();
    const memories = [newMemory(), newMemory(), taken, { ...newMemory(), memoryId: taken.memoryId }, newMemory()];
    const outcomes = await insertAll(new InsertGroups(counting()), memories);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { code: 'ALREADY_EXISTS' } },
    ]);
    expect(await stored()).toEqual([...new Set(memories.map(({ memoryId }) => memoryId))].sort());
  });

  test('are all refused when their commit is in doubt', async () => {
    const memories = [newMemory(), newMemory(), newMemory()];
    before = () => Promise.reject(commitInDoubt(new Error('the connection broke')));
    const outcomes = await insertAll(new InsertGroups(counting()), memories);
    expect(idsOf(outcomes)).toEqual([]);
    expect(commits).toEqual([3]);
  });

  test('leave the lock timeout of their session as it was', async () => {
    const [before, after] = await world.db.main.withSession(async (session) => {
      const look = () => session.query({ name: 'test.lock_timeout', text: 'show lock_timeout' });
      const was = await look();
      const items = [newMemory(), newMemory()].map((memory) => ({ memory, content }));
      expect(await insertMemories(session, items, { lockTimeoutMs: 50 })).toHaveLength(2);
      return [was, await look()];
    });
    expect(before).not.toEqual([{ lock_timeout: '50ms' }]);
    expect(after).toEqual(before);
  });

  test('of several spaces do not wait for each other', async () => {
    const other = await world.space();
    const memories = [spaceId, other, spaceId, other].map((space) => newMemory({ spaceId: space }));
    await insertAll(new InsertGroups(counting()), memories);
    expect(commits).toEqual([2, 2]);
    expect([(await stored()).length, (await stored(other)).length]).toEqual([2, 2]);
  });

  test('store nothing for a caller that has left while it waited', async () => {
    const groups = new InsertGroups(counting());
    const leaving = new AbortController();
    const [kept, gone] = [newMemory(), newMemory()];
    const first = groups.insert(kept, content, signal);
    const second = groups.insert(gone, content, leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    await first;
    await groups.insert(newMemory(), content, signal);
    expect(await stored()).not.toContain(gone.memoryId);
  });

  test('are not those of large content', async () => {
    const large = { kind: 'inline' as const, data: Buffer.alloc(20_000) };
    const groups = new InsertGroups(counting());
    await Promise.all([1, 2, 3].map(() => groups.insert(newMemory({ contentLength: 20_000 }), large, signal)));
    expect(commits).toEqual([1, 1, 1]);
  });
});

test('an item of a batch whose space is missing fails alone', async () => {
  const item = (space: string, text: string) => ({
    spaceId: space,
    contentType: 'text/plain',
    originalContent: bytes(text),
  });
  const requests = [item(spaceId, 'a'), item(UNKNOWN_ID, 'b'), item(spaceId, 'c')];
  const { results } = await world.memory('batchCreateMemory', { requests });
  expect(results.map(({ success }) => success)).toEqual([true, false, true]);
  expect(await failure(world.remember(UNKNOWN_ID, 'd'))).toMatch(/^NOT_FOUND /);
});
