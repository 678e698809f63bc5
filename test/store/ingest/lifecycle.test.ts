import { beforeAll, describe, expect, test, vi } from 'vitest';
import { sweepOnce } from '../../../src/server/service/ingest/sweeper.ts';
import { receiveContent } from '../../../src/server/service/memories/receive-content.ts';
import { signal, sql } from '../identity.fixture.ts';
import { createMemoryWorld, MAX_CONTENT, statusOf, useMemoryWorld } from '../memory.fixture.ts';

const world = useMemoryWorld();
let spaceId: string;
beforeAll(async () => {
  spaceId = await world.space();
});

async function sweep(): Promise<void> {
  while (await sweepOnce({ db: world.db }, signal));
}

const count = async (table: string) =>
  (await sql<{ count: number }>(world.db, `select count(*) as count from ${table}`))[0]?.count;

describe('sweeping', () => {
  test('expired memories are deleted with their chunks, vectors and jobs, the others stay', async () => {
    const other = await world.space();
    const kept = await world.remember(spaceId, 'kept');
    for (const space of [spaceId, other, spaceId]) await world.remember(space, 'gone');
    await sql(world.db, `update memory set expires_at = now() - interval '1 second' where memory_id <> $1`, [
      kept.memoryId,
    ]);
    await sweep();
    expect(await sql(world.db, 'select memory_id as id from memory')).toEqual([{ id: kept.memoryId }]);
    expect(await count('content_part')).toBe(1);
    expect(await sql(world.db, 'select status, count(*) as count from job group by status order by status')).toEqual([
      { status: 'CANCELED', count: 3 },
      { status: 'PENDING', count: 1 },
    ]);
  });

  test('a running server sweeps periodically', async () => {
    const running = await createMemoryWorld();
    try {
      const space = await running.space();
      const { memoryId } = await running.remember(space, 'gone');
      const kept = await running.remember(space, 'kept');
      await sql(running.db, `update memory set expires_at = now() - interval '1 second' where memory_id = $1`, [
        memoryId,
      ]);
      running.ingest.start();
      const left = () => sql<{ id: string }>(running.db, 'select memory_id as id from memory');
      await vi.waitUntil(async () => (await left()).length === 1, { timeout: 10_000 });
      expect(await left()).toEqual([{ id: kept.memoryId }]);
    } finally {
      await running.end();
    }
  });

  test('an upload is deleted an hour after its last part, and cannot continue then', async () => {
    const options = { spaceId, maxBytes: MAX_CONTENT, signal };
    const broken = await receiveContent(world.db.main, [new Uint8Array(3_000_000)], options);
    const before = await count('content_part');
    await sweep();
    expect(await count('content_part')).toBe(before);
    expect(await count('content_staging')).toBe(1);
    await sql(world.db, `update content_staging set created_at = now() - interval '61 minutes'`);
    await sweep();
    expect(await count('content_staging')).toBe(0);
    expect(await sql(world.db, 'select 1 from content_part where content_id = $1', [broken.contentId])).toEqual([]);
  });

  test('an upload that is swept while it runs fails and leaves nothing behind', async () => {
    const { db } = world;
    async function* slow() {
      yield new Uint8Array(2_500_000);
      await sql(db, `update content_staging set created_at = now() - interval '2 hours'`);
      await sweep();
      yield new Uint8Array(1_500_000);
    }
    const upload = receiveContent(db.main, slow(), { spaceId, maxBytes: MAX_CONTENT, signal });
    await expect(upload).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await count('content_staging')).toBe(0);
    expect(
      await sql(
        db,
        'select 1 from content_part p where not exists (select from memory m where m.content_id = p.content_id)',
      ),
    ).toEqual([]);
  });
});

test('waitMs ends at its timeout, and the answer shows the current status', async () => {
  // No worker runs here.
  expect(statusOf(await world.remember(spaceId, 'nobody comes', { waitMs: 20 }))).toBe('PENDING');
});

describe('draining', () => {
  test('ends every wait, stops claiming jobs and becomes idle', async () => {
    const before = await count('memory');
    const answer = world.remember(spaceId, 'waiting', { waitMs: 60_000 });
    await vi.waitUntil(async () => (await count('memory')) !== before);
    world.lifecycle.drain();
    const memory = await answer;
    expect(statusOf(memory)).toBe('PENDING');
    expect(await world.lifecycle.reached('QUIESCED', AbortSignal.timeout(10_000))).toBe(true);
    world.ingest.start();
    await world.ingest.stop();
    expect(statusOf(await world.memory('getMemory', { memoryId: memory.memoryId }))).toBe('PENDING');
  });
});
