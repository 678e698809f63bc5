import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/server/context.ts';
import { ProviderType, SortOrder } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { failure, sql, UNKNOWN_ID, useWorld } from '../identity.fixture.ts';

const world = useWorld();
let embedderId = '';
const NAMES = ['alpha', 'Beta', 'beta 2', '50%_off', 'ÄRGER', 'a*b'];

beforeAll(async () => {
  const builtin = { displayName: 'Words', providerType: ProviderType.BUILTIN, modelIdentifier: 'lexical-v1' };
  embedderId = (await world.call('createEmbedder', { ...builtin, dimensionality: 16 }, world.admin)).embedderId;
  for (const [index, name] of NAMES.entries()) {
    const labels = { parity: index % 2 === 0 ? 'even' : 'odd', name };
    await world.call('createSpace', { name, embedderId, labels }, world.ada);
  }
  await world.call('createSpace', { name: 'of bob', embedderId }, world.bob);
  await world.call('createSpace', { name: 'public of bob', embedderId, publicRead: true }, world.bob);
});

const list = async (request: object = {}, caller: Caller = world.ada) =>
  (await world.call('listSpaces', request, caller)).spaces.map(({ name }) => name);

/** All pages of `size`, one behind the other. */
async function paged(request: object, size: number, caller: Caller = world.ada): Promise<string[]> {
  const names: string[] = [];
  let nextToken: string | undefined;
  do {
    const page = await world.call(
      'listSpaces',
      { ...request, maxResults: size, ...(nextToken === undefined ? {} : { nextToken }) },
      caller,
    );
    expect(page.spaces.length).toBeGreaterThan(0);
    expect(page.spaces.length).toBeLessThanOrEqual(size);
    names.push(...page.spaces.map(({ name }) => name));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return names;
}

describe('visibility', () => {
  test('a user sees its own spaces, an admin all', async () => {
    expect((await list()).sort()).toEqual([...NAMES].sort());
    expect((await list({ ownerId: world.ada.userId })).sort()).toEqual([...NAMES].sort());
    expect(await list({}, world.admin)).toHaveLength(NAMES.length + 2);
    expect(await list({ ownerId: world.bob.userId }, world.admin)).toEqual(['public of bob', 'of bob']);
    expect(await list({ ownerId: UNKNOWN_ID }, world.admin)).toEqual([]);
    expect(await failure(list({ ownerId: world.bob.userId }))).toMatch(/^PERMISSION_DENIED .*LIST_SPACE_ANY/);
  });

  test('publicRead lists the public spaces of all users, and excludes an owner', async () => {
    expect(await list({ publicRead: true })).toEqual(['public of bob']);
    expect((await list({ publicRead: false })).sort()).toEqual([...NAMES].sort());
    expect(await failure(list({ publicRead: true, ownerId: world.ada.userId }))).toMatch(
      /^INVALID_ARGUMENT .*publicRead: cannot be given together/,
    );
  });

  test('a space-bound key sees only its spaces', async () => {
    const { spaces } = await world.call('listSpaces', { nameFilter: 'alpha' }, world.ada);
    const spaceIds = spaces.map(({ spaceId }) => spaceId);
    const bound = await world.keyFor(world.ada, { restrictions: { spaceIds } });
    expect(await list({}, bound)).toEqual(['alpha']);
    expect(await list({ publicRead: true }, bound)).toEqual([]);
  });
});

describe('filters', () => {
  test.each([
    ['beta', ['Beta']],
    ['BETA*', ['Beta', 'beta 2']],
    ['?eta', ['Beta']],
    ['*%*', ['50%_off']],
    ['50__off', []],
    ['50?_off', ['50%_off']],
    ['ärger', ['ÄRGER']],
    ['?RGER', ['ÄRGER']],
    ['a\\*b', ['a*b']],
    ['a\\**', ['a*b']],
    ['a?b', ['a*b']],
    ['\\alpha', ['alpha']],
    ['alph', []],
    ['*', NAMES],
    ['', NAMES],
    ['alpha\\', []],
  ])('the glob %s', async (nameFilter, names) => {
    expect((await list({ nameFilter })).sort()).toEqual([...names].sort());
  });

  test('labels must all match', async () => {
    expect((await list({ label: { parity: 'odd' } })).sort()).toEqual(['50%_off', 'Beta', 'a*b']);
    expect(await list({ label: { parity: 'odd', name: 'Beta' } })).toEqual(['Beta']);
    expect(await list({ label: { parity: 'odd', name: 'alpha' } })).toEqual([]);
  });
});

describe('order and pages', () => {
  test('by time, newest first by default', async () => {
    expect(await list()).toEqual([...NAMES].reverse());
    const ascending = { sortOrder: SortOrder.ASCENDING };
    for (const sortBy of ['created_time', 'created_at']) {
      expect(await list({ sortBy, ...ascending })).toEqual(NAMES);
      expect(await list({ sortBy, sortOrder: SortOrder.DESCENDING })).toEqual([...NAMES].reverse());
    }
    await sql(world.db, `update space set updated_at = now() where name = 'Beta'`);
    for (const sortBy of ['updated_time', 'updated_at']) {
      expect((await list({ sortBy })).at(0)).toBe('Beta');
      expect((await list({ sortBy, ...ascending })).at(-1)).toBe('Beta');
    }
    expect(await failure(list({ sortBy: 'size' }))).toMatch(/^INVALID_ARGUMENT .*sortBy: must be one of/);
  });

  test('by name, by code point', async () => {
    const byName = [...NAMES].sort();
    expect(await list({ sortBy: 'name', sortOrder: SortOrder.ASCENDING })).toEqual(byName);
    expect(await list({ sortBy: 'name' })).toEqual(byName.reverse());
  });

  test('pages of any size hold every space once, in order', async () => {
    for (const sortBy of ['created_time', 'updated_time', 'name']) {
      for (const sortOrder of [SortOrder.ASCENDING, SortOrder.DESCENDING]) {
        for (const size of [1, 2, NAMES.length]) {
          expect(await paged({ sortBy, sortOrder }, size)).toEqual(await list({ sortBy, sortOrder }));
        }
      }
    }
  });

  test('spaces of equal times are ordered by id', async () => {
    await sql(world.db, `update space set created_at = date_trunc('day', now())`);
    const names = await paged({}, 1, world.admin);
    expect(names).toHaveLength(NAMES.length + 2);
    expect(new Set(names).size).toBe(names.length);
  });

  test('a token is valid for its list only', async () => {
    const { nextToken = '' } = await world.call('listSpaces', { maxResults: 1, nameFilter: '*' }, world.ada);
    const next = (more: object, caller = world.ada) =>
      failure(world.call('listSpaces', { nameFilter: '*', nextToken, ...more }, caller));
    expect(await next({})).toBe('no failure');
    expect(await next({ maxResults: 3 })).toBe('no failure');
    expect(await next({}, world.bob)).toMatch(/^INVALID_ARGUMENT .*nextToken: /);
    for (const more of [
      { nameFilter: '?*' },
      { sortBy: 'name' },
      { sortOrder: SortOrder.ASCENDING },
      { label: { parity: 'odd' } },
      { nextToken: 'AAAA' },
      { nextToken: `${nextToken}A` },
    ]) {
      expect(await next(more)).toMatch(/^INVALID_ARGUMENT .*nextToken: /);
    }
  });
});
