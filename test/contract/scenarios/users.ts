import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { unique } from '../../support/stage.ts';
import type { Scenario } from '../scenario.ts';

const USER = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;

export const users: readonly Scenario[] = [
  {
    name: 'the root user is described as documented',
    async run(stage) {
      const me = await stage.ok('getUser');
      expect(me).toEqual({
        userId: expect.stringMatching(USER),
        email: 'root@localhost',
        displayName: 'System Root User',
        username: 'root',
        role: 'ROOT',
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
      });
    },
  },
  {
    name: 'create, then read by id and by email in any case',
    async run(stage) {
      const name = unique('ada');
      const created = await stage.ok('createUser', {
        email: `${name}@Example.org`,
        displayName: 'Ada',
        username: name,
      });
      expect(created).toMatchObject({ displayName: 'Ada', username: name, role: 'USER' });
      expect(await stage.ok('getUser', { userId: created.userId })).toEqual(created);
      expect(await stage.ok('getUser', { userId: created.userId.toUpperCase() })).toEqual(created);
      expect(await stage.ok('getUser', { email: `${name}@example.ORG` })).toEqual(created);
    },
  },
  {
    name: 'a taken id, email or username is told as such',
    async run(stage) {
      const name = unique('eve');
      const userId = randomUUID();
      const fields = { email: `${name}@example.org`, displayName: 'Eve', username: name, userId };
      expect((await stage.ok('createUser', fields)).userId).toBe(userId);
      const other = unique('other');
      await stage.refused('createUser', { email: `${other}@example.org`, displayName: 'x', userId }, 'ALREADY_EXISTS');
      await stage.refused('createUser', { email: fields.email.toUpperCase(), displayName: 'x' }, 'ALREADY_EXISTS');
      const sameName = { email: `${other}@example.org`, displayName: 'x', username: name };
      await stage.refused('createUser', sameName, 'ALREADY_EXISTS');
    },
  },
  {
    name: 'bad fields are all listed',
    async run(stage) {
      await stage.refused(
        'createUser',
        { email: 'nobody', displayName: '', username: 'a b', userId: 'x' },
        'INVALID_ARGUMENT',
        {
          message: 'Request has 4 invalid fields',
          details: /email: .+; displayName: .+; username: .+; userId: not a UUID/,
        },
      );
      await stage.refused('createUser', {}, 'INVALID_ARGUMENT', { details: /email.*displayName/ });
      const root = { email: `${unique('r')}@example.org`, displayName: 'r', role: 'ROOT' };
      await stage.refused('createUser', root, 'INVALID_ARGUMENT', { details: 'role' });
    },
  },
  {
    name: 'a user sees itself only; creating and listing others need more',
    async run(stage) {
      const ada = await stage.person();
      const bob = await stage.person();
      expect((await stage.ok('getUser', {}, ada.key)).userId).toBe(ada.userId);
      expect((await stage.ok('getUser', { userId: ada.userId }, ada.key)).role).toBe('USER');
      await stage.refused('getUser', { userId: bob.userId }, 'PERMISSION_DENIED', { as: ada.key });
      await stage.refused(
        'createUser',
        { email: `${unique('x')}@example.org`, displayName: 'x' },
        'PERMISSION_DENIED',
        {
          as: ada.key,
        },
      );
      const { users: seen } = await stage.ok('listUsers', {}, ada.key);
      expect(seen.map((user: { userId: string }) => user.userId)).toEqual([ada.userId]);
    },
  },
  {
    name: 'the list is paged, newest first, and its tokens fit it only',
    async run(stage) {
      const names = [await stage.person(), await stage.person(), await stage.person()].map(({ userId }) => userId);
      const first = await stage.ok('listUsers', { maxResults: 2 });
      expect(first.users.map((user: { userId: string }) => user.userId)).toEqual([names[2], names[1]]);
      expect(first.nextToken).toMatch(/^[A-Za-z0-9_-]+$/);
      const second = await stage.ok('listUsers', { maxResults: 2, nextToken: first.nextToken });
      expect(second.users[0].userId).toBe(names[0]);
      const all = await stage.ok('listUsers', { maxResults: 100000 });
      expect(all.nextToken).toBeNull();
      expect(all.users.length).toBeGreaterThanOrEqual(4);
      const admin = await stage.person('ADMIN');
      await stage.refused('listUsers', { nextToken: first.nextToken }, 'INVALID_ARGUMENT', { as: admin.key });
      await stage.refused('listUsers', { nextToken: 'nonsense' }, 'INVALID_ARGUMENT', { details: 'nextToken' });
    },
  },
];
