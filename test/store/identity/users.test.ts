import { expect, test } from 'vitest';
import { Role } from '../../../src/shared/gen/service/v1/user_pb.ts';
import { failure, sql, UNKNOWN_ID, useWorld } from '../identity.fixture.ts';

const world = useWorld();

const someone = (name: string) => ({ email: `${name}@example.org`, displayName: name });

test('CREATE_USER_ANY is needed to create users, and a second root is refused', async () => {
  expect(await failure(world.call('createUser', someone('eve'), world.ada))).toMatch(
    /^PERMISSION_DENIED .*CREATE_USER_ANY/,
  );
  const root = { ...someone('eve'), role: Role.ROOT };
  expect(await failure(world.call('createUser', root, world.admin))).toMatch(/^INVALID_ARGUMENT .*role: /);
});

test('a user is USER by default and keeps a given id', async () => {
  const userId = '01980000-0000-7000-8000-0000000000aa';
  const made = await world.call('createUser', { ...someone('carol'), userId }, world.admin);
  expect(made).toMatchObject({ userId, role: Role.USER, email: 'carol@example.org' });
  expect(made.username).toBeUndefined();
  expect(made.createdAt).toEqual(made.updatedAt);
  expect(await failure(world.call('createUser', { ...someone('dave'), userId }, world.admin))).toMatch(
    /^ALREADY_EXISTS .*id/,
  );
});

test('e-mail addresses are unique case-insensitively, usernames case-sensitively', async () => {
  const email = { email: 'ADA@Example.org', displayName: 'x' };
  expect(await failure(world.call('createUser', email, world.root))).toMatch(/^ALREADY_EXISTS .*email/);
  const username = { ...someone('frank'), username: 'ada' };
  expect(await failure(world.call('createUser', username, world.root))).toMatch(/^ALREADY_EXISTS .*username/);
  const taken = await Promise.all([1, 2, 3].map(() => failure(world.call('createUser', someone('race'), world.root))));
  expect(taken.filter((outcome) => outcome === 'no failure')).toHaveLength(1);
  expect(taken.filter((outcome) => outcome.startsWith('ALREADY_EXISTS'))).toHaveLength(2);
});

test('get reads oneself, by id and by e-mail; the id wins', async () => {
  const { ada, bob, admin } = world;
  expect((await world.call('getUser', {}, ada)).userId).toBe(ada.userId);
  expect((await world.call('getUser', { email: 'Ada@EXAMPLE.org' }, ada)).userId).toBe(ada.userId);
  const both = { userId: bob.userId, email: 'ada@example.org' };
  expect((await world.call('getUser', both, admin)).userId).toBe(bob.userId);
  expect(await failure(world.call('getUser', { userId: bob.userId }, ada))).toMatch(/^PERMISSION_DENIED/);
  expect(await failure(world.call('getUser', { userId: UNKNOWN_ID }, ada))).toBe(
    `NOT_FOUND | User not found: ${UNKNOWN_ID}`,
  );
  expect(await failure(world.call('getUser', { email: 'no@where' }, admin))).toBe(
    'NOT_FOUND | User not found: no@where',
  );
});

test('a list pages newest first for admins and holds oneself for others', async () => {
  const seen: string[] = [];
  let nextToken: string | undefined;
  do {
    const page = await world.call('listUsers', { maxResults: 2, ...(nextToken && { nextToken }) }, world.admin);
    expect(page.users.length).toBeLessThanOrEqual(2);
    seen.push(...page.users.map(({ userId }) => userId));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  const all = await world.call('listUsers', { maxResults: 1000 }, world.admin);
  expect(all.nextToken).toBeUndefined();
  expect(seen).toEqual(all.users.map(({ userId }) => userId));
  const times = all.users.map(({ createdAt }) => Number(createdAt?.seconds) * 1e9 + Number(createdAt?.nanos));
  expect(times).toEqual([...times].sort((a, b) => b - a));
  expect(all.users.at(-1)?.role).toBe(Role.ROOT);

  const own = await world.call('listUsers', {}, world.ada);
  expect(own.users.map(({ userId }) => userId)).toEqual([world.ada.userId]);
});

test('users of equal times are ordered by id, without gap or overlap of pages', async () => {
  await sql(world.db, `update app_user set created_at = '2026-01-01' where role <> 'ROOT'`);
  const seen: string[] = [];
  let nextToken: string | undefined;
  do {
    const page = await world.call('listUsers', { maxResults: 1, ...(nextToken && { nextToken }) }, world.admin);
    seen.push(...page.users.filter(({ role }) => role !== Role.ROOT).map(({ userId }) => userId));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  expect(seen.length).toBeGreaterThanOrEqual(3);
  expect(seen).toEqual([...new Set(seen)].sort().reverse());
});

test('a page token is valid for its caller alone', async () => {
  const { nextToken = '' } = await world.call('listUsers', { maxResults: 1 }, world.admin);
  expect(nextToken).toMatch(/^[A-Za-z0-9_-]+$/);
  const request = { maxResults: 1, nextToken };
  expect((await world.call('listUsers', request, world.admin)).users).toHaveLength(1);
  expect(await failure(world.call('listUsers', request, world.root))).toMatch(/^INVALID_ARGUMENT .*nextToken: /);
});
