import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Queryable } from '../../../src/server/store/db.ts';
import { selectSpaceStatistics } from '../../../src/server/store/space-statistics.ts';
import { ProviderType } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { sql, useWorld } from '../identity.fixture.ts';

const MEMORIES = 5000;

const world = useWorld();
let full = '';
let other = '';
let empty = '';

beforeAll(async () => {
  const builtin = { displayName: 'Words', providerType: ProviderType.BUILTIN, modelIdentifier: 'lexical-v1' };
  const { embedderId } = await world.call('createEmbedder', { ...builtin, dimensionality: 16 }, world.admin);
  full = (await world.call('createSpace', { name: 'full', embedderId }, world.ada)).spaceId;
  // Of a table that held nothing else the planner would rightly read the whole.
  other = (await world.call('createSpace', { name: 'other', embedderId }, world.ada)).spaceId;
  empty = (await world.call('createSpace', { name: 'empty', embedderId }, world.ada)).spaceId;
  // As wide as memories with some metadata are; every tenth has expired, every tenth will. The commit is synchronous on a
  // server that is set otherwise, too: rows of an asynchronous one are not marked as visible to all by the vacuum behind it,
  // and the planner rightly keeps to the table.
  await sql(
    world.db,
    `with durable as (select set_config('synchronous_commit', 'on', true))
      insert into memory (space_id, memory_id, content_id, content_length, content_sha256, content_type, metadata,
        expires_at, created_at, updated_at, created_by_id, updated_by_id)
      select space_id, gen_random_uuid(), gen_random_uuid(), 10, '\\x00', 'text/plain', jsonb_build_object('path', repeat('x', 200)),
        case n % 10 when 0 then now() - interval '1 day' when 1 then now() + interval '1 day' end, now(), now(), $2, $2
      from durable, unnest($1::uuid[]) space_id, generate_series(1, $3::integer) n`,
    [[full, other], world.ada.userId, MEMORIES],
  );
});

test('what has expired does not count, and a space without memories has no row', async () => {
  expect(await selectSpaceStatistics(world.db.main, [full, empty, randomUUID()])).toEqual([
    { spaceId: full, memoryCount: 4500, contentBytes: 45_000 },
  ]);
});

test('the memories are counted in the index, without a look at the table', async () => {
  // A reader that began before, as the system's own statistics may, keeps a vacuum from marking what was written since.
  const isMarked = async () => {
    await sql(world.db, 'vacuum analyze memory');
    const found = await sql<{ marked: boolean }>(
      world.db,
      "select relallvisible = relpages as marked from pg_class where oid = 'memory'::regclass",
    );
    return found[0]?.marked;
  };
  await expect.poll(isMarked, { timeout: 60_000, interval: 200 }).toBe(true);
  let text = '';
  const reading: Queryable = {
    ...world.db.main,
    async query(statement) {
      text = statement.text;
      return [];
    },
  };
  await selectSpaceStatistics(reading, [full]);
  const rows = await sql<{ 'QUERY PLAN': string }>(world.db, `explain (analyze, costs off, timing off) ${text}`, [
    [full],
  ]);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('Index Only Scan using memory_statistics');
  expect(plan).toContain('Heap Fetches: 0');
});
