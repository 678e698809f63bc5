import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { raw } from '../../support/raw-rest.ts';
import { unique } from '../../support/stage.ts';
import type { Scenario } from '../scenario.fixture.ts';

const BUILTIN = { providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 16 };
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
    name: 'a taken id, email or username is ALREADY_EXISTS',
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
  {
    name: 'update: what is given changes, the rest stays',
    async run(stage) {
      const { userId, key } = await stage.person();
      const before = await stage.ok('getUser', { userId });
      expect(await stage.ok('updateUser', { userId })).toEqual(before);
      const username = unique('u');
      await stage.later(before.updatedAt);
      const named = await stage.ok('updateUser', { userId, displayName: 'Ada L.', username }, key);
      expect(named).toEqual({ ...before, displayName: 'Ada L.', username, updatedAt: expect.any(Number) });
      expect(named.updatedAt).toBeGreaterThan(before.updatedAt);
      const promoted = await stage.ok('updateUser', { userId, role: 'ADMIN' });
      expect(promoted).toMatchObject({ role: 'ADMIN', displayName: 'Ada L.', username });
      expect(await stage.ok('getUser', { userId })).toEqual(promoted);
      // The new role counts from the next call on.
      await stage.ok('getUser', { userId: stage.caller.userId }, key);
      await stage.ok('updateUser', { userId, role: 'USER' }, key);
      await stage.refused('getUser', { userId: stage.caller.userId }, 'PERMISSION_DENIED', { as: key });
    },
  },
  {
    name: 'update: bad, immutable and taken values are refused',
    async run(stage) {
      const ada = await stage.person();
      const other = await stage.ok('updateUser', { userId: (await stage.person()).userId, username: unique('taken') });
      const { userId } = ada;
      await stage.refused('updateUser', { userId, displayName: '', username: 'a b' }, 'INVALID_ARGUMENT', {
        details: /displayName: .+; username: /,
      });
      await stage.refused('updateUser', { userId, role: 'CHIEF' }, 'INVALID_ARGUMENT', { details: 'role' });
      await stage.refused('updateUser', { userId, role: 'ROOT' }, 'INVALID_ARGUMENT', { details: /^role: / });
      await stage.refused('updateUser', { userId, email: 'new@example.org' }, 'INVALID_ARGUMENT', {
        details: 'email: immutable',
      });
      await stage.refused('updateUser', { userId, username: other.username }, 'ALREADY_EXISTS');
      await stage.refused('updateUser', { userId: 'x', displayName: 'x' }, 'INVALID_ARGUMENT', { details: 'userId' });
      const own = { key: stage.caller.key, body: { userId, displayName: 'x' } };
      const answer = await raw(stage.server, `PUT /v1/users/${userId}`, own);
      expect(answer).toMatchObject({ status: 400, error: { details: 'userId: immutable' } });
    },
  },
  {
    name: 'update: UPDATE_USER_OWN for oneself, UPDATE_USER_ANY for roles and other users, the role of root never',
    async run(stage) {
      const ada = await stage.person();
      const bob = await stage.person();
      const as = ada.key;
      const change = { displayName: 'x' };
      await stage.refused('updateUser', { userId: bob.userId, ...change }, 'PERMISSION_DENIED', { as });
      await stage.refused('updateUser', { userId: bob.userId }, 'PERMISSION_DENIED', { as });
      await stage.refused('updateUser', { userId: ada.userId, role: 'ADMIN' }, 'PERMISSION_DENIED', { as });
      await stage.refused('updateUser', { userId: ada.userId, role: 'USER' }, 'PERMISSION_DENIED', { as });
      const readOnly = await stage.key({ restrictions: { readOnly: true } }, as);
      await stage.refused('updateUser', { userId: ada.userId, ...change }, 'PERMISSION_DENIED', { as: readOnly });
      const ghost = randomUUID();
      const message = `User not found: ${ghost}`;
      await stage.refused('updateUser', { userId: ghost, ...change }, 'NOT_FOUND', { as, message });
      const root = stage.caller.userId;
      for (const role of ['USER', 'ADMIN']) {
        await stage.refused('updateUser', { userId: root, role }, 'FAILED_PRECONDITION');
      }
      await stage.ok('updateUser', { userId: root, displayName: 'System Root User' });
    },
  },
  {
    name: 'delete: once, and the keys are refused at once',
    async run(stage) {
      const ada = await stage.person();
      const bob = await stage.person();
      const userId = ada.userId;
      await stage.refused('deleteUser', { userId }, 'PERMISSION_DENIED', { as: bob.key });
      await stage.ok('deleteUser', { userId }, ada.key);
      await stage.refused('getUser', {}, 'UNAUTHENTICATED', { as: ada.key });
      const message = `User not found: ${userId}`;
      for (const operation of ['deleteUser', 'getUser', 'updateUser'] as const) {
        await stage.refused(operation, { userId }, 'NOT_FOUND', { message });
      }
      await stage.refused('createApiKey', { userId }, 'NOT_FOUND', { message });
      await stage.refused('listApiKeys', { userId }, 'NOT_FOUND', { message });
      await stage.ok('deleteUser', { userId: bob.userId });
      await stage.refused('deleteUser', { userId: 'x' }, 'INVALID_ARGUMENT', { details: 'userId' });
    },
  },
  {
    name: 'delete: not while the user owns anything, and never root',
    async run(stage) {
      const { userId, key } = await stage.person('ADMIN');
      const { spaceId } = await stage.space({}, key);
      const { embedderId } = await stage.ok('createEmbedder', { ...BUILTIN, displayName: unique('e') }, key);
      const owned = { message: 'The user still owns resources' };
      await stage.refused('deleteUser', { userId }, 'FAILED_PRECONDITION', {
        ...owned,
        details: 'the user owns spaces, embedders',
      });
      await stage.ok('deleteSpace', { spaceId });
      await stage.refused('deleteUser', { userId }, 'FAILED_PRECONDITION', { ...owned, details: 'owns embedders' });
      await stage.ok('deleteEmbedder', { embedderId });
      await stage.ok('deleteUser', { userId });
      await stage.refused('deleteUser', { userId: stage.caller.userId }, 'FAILED_PRECONDITION', { message: /root/ });
      expect(await stage.ok('getUser', {})).toMatchObject({ role: 'ROOT' });
    },
  },
  {
    name: 'delete: what the user has created for others stays, with the user as its creator',
    async run(stage) {
      const admin = await stage.person('ADMIN');
      const ada = await stage.person();
      const { spaceId } = await stage.space({ ownerId: ada.userId }, admin.key);
      const { memoryId } = await stage.memory({ spaceId }, admin.key);
      await stage.ok('deleteUser', { userId: admin.userId });
      expect(await stage.ok('getSpace', { spaceId }, ada.key)).toMatchObject({ createdById: admin.userId });
      expect(await stage.ok('getMemory', { memoryId }, ada.key)).toMatchObject({ createdById: admin.userId });
      const { chunks } = await stage.ok('listChunks', { spaceId }, ada.key);
      expect(chunks).toMatchObject([{ createdById: admin.userId }]);
      await stage.ok('reprocessMemory', { memoryId }, ada.key);
      expect(await stage.processed(memoryId)).toMatchObject({ createdById: admin.userId, updatedById: ada.userId });
    },
  },
];
