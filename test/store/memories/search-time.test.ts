import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { httpStatusOf } from '../../../src/shared/error-details.ts';
import { testDatabaseKind } from '../../support/database.ts';
import { failure, sql } from '../identity.fixture.ts';
import { useMemoryWorld } from '../memory.fixture.ts';

const LIMIT_MS = 300;
/** With the most expensive filter that is accepted they take seconds to look through. */
const MEMORIES = 6000;
const EXPENSIVE = Array.from({ length: 300 }, (_, n) => `val('$.a') = 'x${n}'`).join(' OR ');
const SENTENCE = 'The search for memories took longer than 0.3 s and was canceled; nothing was changed';

const world = useMemoryWorld({}, { searchTimeoutMs: LIMIT_MS });
let spaceId: string;
beforeAll(async () => {
  spaceId = await world.space();
  await sql(
    world.db,
    `insert into memory (space_id, memory_id, content_id, content_length, content_sha256, content_type,
       processing_status, metadata, chunk_count, created_at, updated_at, created_by_id, updated_by_id)
     select $1, gen_random_uuid(), gen_random_uuid(), 0, '', 'text/plain', 'COMPLETED', '{"a":"y"}', 0, now(), now(), $2, $2
     from generate_series(1, $3::int)`,
    [spaceId, world.ada.userId, MEMORIES],
  );
});

const count = async (id: string) =>
  (await sql<{ count: number }>(world.db, 'select count(*) as count from memory where space_id = $1', [id]))[0]?.count;
const deletion = (id: string, filter: string) => ({
  requests: [{ selector: { case: 'filterSelector' as const, value: { spaceId: id, filter } } }],
});

test('a list whose filter times out says so', async () => {
  expect(await failure(world.memory('listMemories', { spaceId, filter: EXPENSIVE }))).toBe(
    `DEADLINE_EXCEEDED | ${SENTENCE} | it is faster with a simpler filter or fewer memories in the space, and slower while the database is busy`,
  );
  const { memories } = await world.memory('listMemories', { spaceId, filter: `val('$.a') = 'y'`, maxResults: 1 });
  expect(memories).toHaveLength(1);
});

test('so does a deletion, and deletes nothing', async () => {
  const { results, totalDeleted } = await world.memory('batchDeleteMemory', deletion(spaceId, `NOT (${EXPENSIVE})`));
  expect(results.map(({ error }) => error && [httpStatusOf(error), error.message])).toEqual([
    [504, expect.stringContaining(SENTENCE)],
  ]);
  expect(totalDeleted).toBe(0n);
  expect(await count(spaceId)).toBe(MEMORIES);
});

// One session waits for no lock of another.
if (testDatabaseKind() === 'postgres')
  test('waiting for a lock of a worker does not count towards that timeout', async () => {
    const own = await world.space();
    const { memoryId } = await world.remember(own, 'a');
    await world.remember(own, 'b');
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const deleting = await world.db.background.withTx(async (tx) => {
      await tx.query({ name: 'test.lock', text: 'select 1 from memory where memory_id = $1 for no key update' }, [
        memoryId,
      ]);
      const started = world.memory('batchDeleteMemory', deletion(own, `field('contentType') = 'text/plain'`));
      await expect.poll(() => sql(world.db, waiting), { timeout: 10_000 }).toHaveLength(1);
      await sleep(2 * LIMIT_MS);
      return { started };
    });
    expect((await deleting.started).totalDeleted).toBe(2n);
    expect(await count(own)).toBe(0);
  });
