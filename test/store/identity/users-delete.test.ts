import { beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../../src/server/context.ts';
import { deleteUserRow, selectUserForDelete } from '../../../src/server/store/users.ts';
import { ProviderType } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { failure, sql, useWorld } from '../identity.fixture.ts';

const world = useWorld();
let embedderId: string;
const BUILTIN = { displayName: 'Words', providerType: ProviderType.BUILTIN, modelIdentifier: 'lexical-v1' };

beforeAll(async () => {
  embedderId = (await world.call('createEmbedder', { ...BUILTIN, dimensionality: 16 }, world.root)).embedderId;
});

let made = 0;
async function user(): Promise<Caller> {
  made += 1;
  const request = { email: `user${made}@example.org`, displayName: 'Somebody' };
  const { userId } = await world.call('createUser', request, world.root);
  return world.keyFor(world.root, { userId });
}

/** A row of an inference target that another table than embedder holds. */
async function target(table: 'llm' | 'reranker', ownerId: string): Promise<void> {
  const more = table === 'llm' ? ', capabilities' : '';
  await sql(
    world.db,
    `insert into ${table} (${table}_id, owner_id, display_name, provider_type, endpoint_url, model_identifier,
       supported_modalities, target_fingerprint, created_at, updated_at, created_by_id, updated_by_id${more})
     values (gen_random_uuid(), $1, 'x', 'OPENAI', 'http://x', 'x', '{TEXT}', 'x', now(), now(), $1, $1
       ${more === '' ? '' : `, '{}'`})`,
    [ownerId],
  );
}

test('every owned resource is named in the error and prevents the deletion', async () => {
  const owner = await user();
  const { userId } = owner;
  const refusal = () => failure(world.call('deleteUser', { userId }, world.root));
  await target('reranker', userId);
  expect(await refusal()).toBe('FAILED_PRECONDITION | The user still owns resources | the user owns rerankers');
  await target('llm', userId);
  await world.call('createEmbedder', { ...BUILTIN, dimensionality: 8 }, owner);
  const { spaceId } = await world.call('createSpace', { name: 'kept', embedderId }, owner);
  expect(await refusal()).toMatch(/the user owns spaces, embedders, LLMs, rerankers$/);
  expect(await failure(deleteUserRow(world.db.main, userId))).toMatch(/^FAILED_PRECONDITION \| The user owns /);

  await world.call('deleteSpace', { spaceId }, owner);
  for (const table of ['llm', 'reranker', 'embedder']) {
    await sql(world.db, `delete from ${table} where owner_id = $1`, [userId]);
  }
  expect(await refusal()).toBe('no failure');
});

/** Runs `make` while the user is being deleted: once it waits for that, where sessions are many, the deletion ends. */
async function whileDeleted(userId: string, make: () => Promise<unknown>): Promise<string> {
  let outcome: Promise<string> | undefined;
  await world.db.background.withTx(async (tx) => {
    await selectUserForDelete(tx, userId);
    outcome = failure(make());
    const waiting = { name: 'test', text: 'select 1 from pg_locks where not granted limit 1', prepare: false } as const;
    while (world.db.capabilities.sessions === 'many' && (await tx.query(waiting)).length === 0);
    await deleteUserRow(tx, userId);
  });
  return (await outcome) ?? '';
}

test('a create for a user who is deleted concurrently is NOT_FOUND', async () => {
  const first = await user();
  const key = () => world.call('createApiKey', { userId: first.userId }, world.root);
  expect(await whileDeleted(first.userId, key)).toMatch(/^NOT_FOUND \| User not found/);
  const second = await user();
  const space = () => world.call('createSpace', { name: 'late', embedderId, ownerId: second.userId }, world.root);
  expect(await whileDeleted(second.userId, space)).toMatch(/^(FAILED_PRECONDITION|NOT_FOUND) \| /);
  const left = `select user_id as id from api_key where user_id = any ($1::uuid[])
    union all select owner_id from space where owner_id = any ($1::uuid[])`;
  expect(await sql(world.db, left, [[first.userId, second.userId]])).toEqual([]);
});

test('of a concurrent delete and create one succeeds', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { userId } = await user();
    const [deleted, space, key, update] = await Promise.all([
      failure(world.call('deleteUser', { userId }, world.root)),
      failure(world.call('createSpace', { name: `race ${round}`, embedderId, ownerId: userId }, world.root)),
      failure(world.call('createApiKey', { userId }, world.root)),
      failure(world.call('updateUser', { userId, displayName: 'Renamed' }, world.root)),
    ]);
    const gone = /^(no failure|NOT_FOUND|FAILED_PRECONDITION)/;
    for (const outcome of [deleted, space, key, update]) expect(outcome).toMatch(gone);
    expect([deleted, space].filter((outcome) => outcome === 'no failure')).toHaveLength(1);
    const owned = await sql(world.db, 'select 1 from space where owner_id = $1', [userId]);
    expect(owned).toHaveLength(space === 'no failure' ? 1 : 0);
  }
});
