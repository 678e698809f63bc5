import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { selectSpaceStatistics } from '../../src/server/store/space-statistics.ts';
import { ProviderType } from '../../src/shared/gen/service/v1/common_pb.ts';
import { createWorld, sql, type World } from './identity-fixture.ts';

const MEMORIES = 50;

let world: World;
let full = '';
let empty = '';

beforeAll(async () => {
  world = await createWorld();
  const builtin = { displayName: 'Words', providerType: ProviderType.BUILTIN, modelIdentifier: 'lexical-v1' };
  const { embedderId } = await world.call('createEmbedder', { ...builtin, dimensionality: 16 }, world.admin);
  full = (await world.call('createSpace', { name: 'full', embedderId }, world.ada)).spaceId;
  empty = (await world.call('createSpace', { name: 'empty', embedderId }, world.ada)).spaceId;
  // Every tenth has expired, every tenth will.
  await sql(
    world.db,
    `insert into memory (space_id, memory_id, content_id, content_length, content_sha256, content_type, metadata,
        expires_at, created_at, updated_at, created_by_id, updated_by_id)
      select $1, gen_random_uuid(), gen_random_uuid(), 10, '\\x00', 'text/plain', '{}',
        case n % 10 when 0 then now() - interval '1 day' when 1 then now() + interval '1 day' end, now(), now(), $2, $2
      from generate_series(1, $3::integer) n`,
    [full, world.ada.userId, MEMORIES],
  );
});
afterAll(() => world.database.drop());

test('what has expired does not count, and a space without memories has no row', async () => {
  expect(await selectSpaceStatistics(world.db.main, [full, empty, randomUUID()])).toEqual([
    { spaceId: full, memoryCount: 45, contentBytes: 450 },
  ]);
});
