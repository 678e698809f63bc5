import { expect } from 'vitest';
import { type Person, type Stage, unique } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';
import type { Scenario } from '../scenario.fixture.ts';

const names = (body: Json): string[] => body.spaces.map((space: Json) => space.name);

/** A user that owns spaces of these names and nothing else. */
async function owner(stage: Stage, spaceNames: readonly string[]): Promise<Person> {
  const person = await stage.person();
  for (const name of spaceNames) await stage.space({ name }, person.key);
  return person;
}

export const spaceLists: readonly Scenario[] = [
  {
    name: 'newest first, or as asked',
    async run(stage) {
      const { key } = await owner(stage, ['b', 'a', 'c']);
      const list = async (request: object) => names(await stage.ok('listSpaces', { ...request }, key));
      expect(await list({})).toEqual(['c', 'a', 'b']);
      expect(await list({ sortOrder: 'ASCENDING' })).toEqual(['b', 'a', 'c']);
      expect(await list({ sortBy: 'name', sortOrder: 'ASCENDING' })).toEqual(['a', 'b', 'c']);
      expect(await list({ sortBy: 'name' })).toEqual(['c', 'b', 'a']);
      expect(await list({ sortBy: 'name', sortOrder: 'SORT_ORDER_UNSPECIFIED' })).toEqual(['c', 'b', 'a']);
      const { spaces: all } = await stage.ok('listSpaces', {}, key);
      const oldest = all.find(({ name }: Json) => name === 'b');
      await stage.later(Math.max(...all.map(({ updatedAt }: Json) => updatedAt)));
      await stage.ok('updateSpace', { spaceId: oldest.spaceId, publicRead: true }, key);
      for (const sortBy of ['created_time', 'created_at']) {
        expect(await list({ sortBy })).toEqual(['c', 'a', 'b']);
      }
      for (const sortBy of ['updated_time', 'updated_at']) {
        expect(await list({ sortBy })).toEqual(['b', 'c', 'a']);
        expect(await list({ sortBy, sortOrder: 'ASCENDING' })).toEqual(['a', 'c', 'b']);
      }
      await stage.refused('listSpaces', { sortBy: 'size' }, 'INVALID_ARGUMENT', { as: key, details: 'sortBy' });
    },
  },
  {
    name: 'pages have no gap or overlap in any order',
    async run(stage) {
      const all = ['p1', 'p2', 'p3', 'p4', 'p5'];
      const { key } = await owner(stage, all);
      for (const sortBy of ['created_time', 'updated_time', 'name']) {
        const seen: string[] = [];
        let nextToken: string | null | undefined;
        do {
          const page = await stage.ok('listSpaces', { sortBy, maxResults: 2, nextToken }, key);
          seen.push(...names(page));
          nextToken = page.nextToken;
        } while (nextToken !== null);
        expect(seen).toEqual([...all].reverse());
      }
    },
  },
  {
    name: 'a token is valid for its caller, filters and order only',
    async run(stage) {
      const { key } = await owner(stage, ['t1', 't2', 't3']);
      const { nextToken } = await stage.ok('listSpaces', { maxResults: 1 }, key);
      expect(nextToken).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(names(await stage.ok('listSpaces', { maxResults: 2, nextToken }, key))).toEqual(['t2', 't1']);
      const stranger = await stage.person();
      const misfits: [object, string][] = [
        [{ nextToken }, stranger.key],
        [{ nextToken, nameFilter: 't*' }, key],
        [{ nextToken, sortBy: 'name' }, key],
        [{ nextToken, sortOrder: 'ASCENDING' }, key],
        [{ nextToken, label: { a: 'b' } }, key],
        [{ nextToken: `${nextToken.slice(0, -2)}${nextToken.endsWith('AA') ? 'BB' : 'AA'}` }, key],
        [{ nextToken: nextToken.slice(0, -4) }, key],
        [{ nextToken: `${nextToken}x` }, key],
        [{ nextToken: 'ünicode' }, key],
        [{ nextToken: 'e30' }, key],
      ];
      for (const [request, as] of misfits) {
        await stage.refused('listSpaces', { ...request }, 'INVALID_ARGUMENT', { as, details: 'nextToken' });
      }
      const users = await stage.ok('listUsers', { maxResults: 1 });
      const { nextToken: foreign } = users;
      await stage.refused('listSpaces', { nextToken: foreign }, 'INVALID_ARGUMENT', { details: 'nextToken' });
    },
  },
  {
    name: 'maxResults is clamped to its range',
    async run(stage) {
      const { key } = await owner(stage, ['m1', 'm2']);
      expect(names(await stage.ok('listSpaces', { maxResults: 0 }, key))).toEqual(['m2']);
      expect(names(await stage.ok('listSpaces', { maxResults: -7 }, key))).toEqual(['m2']);
      expect(names(await stage.ok('listSpaces', { maxResults: 2_000_000_000 }, key))).toEqual(['m2', 'm1']);
    },
  },
  {
    name: 'nameFilter is a case-insensitive glob over the whole name',
    async run(stage) {
      const { key } = await owner(stage, ['House', 'housing', 'a%b', 'a_b', 'axb', 'star*', 'Ünï']);
      const list = async (nameFilter: string) => names(await stage.ok('listSpaces', { nameFilter }, key)).sort();
      expect(await list('house')).toEqual(['House']);
      expect(await list('hous*')).toEqual(['House', 'housing']);
      expect(await list('hous')).toEqual([]);
      expect(await list('?ous?')).toEqual(['House']);
      expect(await list('a%b')).toEqual(['a%b']);
      expect(await list('a_b')).toEqual(['a_b']);
      expect(await list('a?b')).toEqual(['a%b', 'a_b', 'axb']);
      expect(await list('star\\*')).toEqual(['star*']);
      expect(await list('*')).toHaveLength(7);
      expect(await list("' or 1=1 --")).toEqual([]);
      expect(await list('ünÏ')).toEqual(['Ünï']);
    },
  },
  {
    name: 'label filters must all match',
    async run(stage) {
      const { key } = await stage.person();
      const home = await stage.space({ name: 'one', labels: { team: 'home', 'a.b': 'dot' } }, key);
      await stage.space({ name: 'two', labels: { team: 'work' } }, key);
      const list = async (label: object) => names(await stage.ok('listSpaces', { label }, key));
      expect(await list({ team: 'home' })).toEqual([home.name]);
      expect(await list({ team: 'home', 'a.b': 'dot' })).toEqual([home.name]);
      expect(await list({ team: 'home', 'a.b': 'other' })).toEqual([]);
      expect(await list({ missing: '' })).toEqual([]);
    },
  },
  {
    name: 'LIST_SPACE_ANY lists the spaces of other users, and every user lists public ones',
    async run(stage) {
      const ada = await stage.person();
      const bob = await stage.person();
      const label = { mark: unique('m') };
      await stage.space({ name: 'hidden', labels: label }, ada.key);
      await stage.space({ name: 'open', labels: label, publicRead: true }, ada.key);
      expect(names(await stage.ok('listSpaces', { label }, bob.key))).toEqual([]);
      expect(names(await stage.ok('listSpaces', { label, publicRead: true }, bob.key))).toEqual(['open']);
      expect(names(await stage.ok('listSpaces', { label }))).toEqual(['open', 'hidden']);
      expect(names(await stage.ok('listSpaces', { ownerId: ada.userId }))).toEqual(['open', 'hidden']);
      expect(names(await stage.ok('listSpaces', { ownerId: bob.userId }))).toEqual([]);
      expect(names(await stage.ok('listSpaces', { ownerId: ada.userId }, ada.key))).toEqual(['open', 'hidden']);
      await stage.refused('listSpaces', { ownerId: ada.userId }, 'PERMISSION_DENIED', { as: bob.key });
      const both = { ownerId: bob.userId, publicRead: true };
      await stage.refused('listSpaces', both, 'INVALID_ARGUMENT', { as: bob.key });
    },
  },
];
