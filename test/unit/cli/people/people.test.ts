import { describe, expect, test } from 'vitest';
import { ApiKeyService, ApiKeyStatus } from '../../../../src/shared/gen/service/v1/api_key_pb.ts';
import { Role, UserService } from '../../../../src/shared/gen/service/v1/user_pb.ts';
import { timestampFromMs } from '../../../../src/shared/time.ts';
import type { Handlers } from '../../../support/client/grpc-server.fixture.ts';
import { useService } from '../service.fixture.ts';

/** Any key. */
const X = '01980000-0000-7000-8000-0000000000f9';
const against = useService([ApiKeyService, UserService]);
const SPACE = '01980000-0000-7000-8000-0000000000b1';
const OTHER = '01980000-0000-7000-8000-0000000000b2';
const createdAt = timestampFromMs(Date.UTC(2026, 2, 3, 9, 30));
const ada = {
  userId: '01980000-0000-7000-8000-000000000002',
  email: 'ada@example.org',
  displayName: 'Ada',
  username: 'ada',
  role: Role.USER,
  createdAt,
  updatedAt: createdAt,
};
const key = {
  apiKeyId: '01980000-0000-7000-8000-0000000000a1',
  userId: ada.userId,
  keyPrefix: 'svc_y3y7',
  status: ApiKeyStatus.ACTIVE,
  labels: { purpose: 'ci' },
  restrictions: { readOnly: true, spaceIds: [SPACE, OTHER] },
  expiresAt: timestampFromMs(Date.UTC(2027, 0, 1)),
  createdAt,
  updatedAt: createdAt,
};
const handlers: Handlers = {
  unary: {
    CreateUser: () => ada,
    GetUser: () => ada,
    ListUsers: () => ({ users: [ada] }),
    UpdateUser: () => ada,
    DeleteUser: () => ({}),
    CreateApiKey: () => ({ apiKeyMetadata: key, rawApiKey: 'svc_y3y7aftalkaa6oogpioh3rculllkm7xj' }),
    GetApiKey: () => key,
    ListApiKeys: () => ({ keys: [key] }),
    UpdateApiKey: () => key,
    DeleteApiKey: () => ({}),
  },
};

describe('users', () => {
  test('create needs an address and a name, and leads to the first key', async () => {
    const { svc, server, lastRequest } = await against(handlers);
    expect((await svc(['users', 'create'])).stderr).toBe(
      'svc: --email and --display-name are required\n  Help: svc users create --help\n',
    );
    expect((await svc(['users', 'create', '--role', 'root'])).stderr).toContain('--role must be one of USER, ADMIN');
    expect(server.calls).toEqual([]);
    const create = ['users', 'create', '--email', 'ada@example.org', '--display-name', 'Ada'];
    const shown = await svc([...create, '--username', 'ada', '--role', 'admin', '--id', OTHER], { terminal: true });
    expect(lastRequest()).toMatchObject({
      email: 'ada@example.org',
      displayName: 'Ada',
      username: 'ada',
      role: Role.ADMIN,
      userId: OTHER,
    });
    expect(shown.stderr).toBe(`It has no key yet. Make one:\nsvc apikeys create --user ${ada.userId}\n`);
    expect((await svc(create)).stderr).toBe('');
    expect(lastRequest()).toMatchObject({ role: Role.UNSPECIFIED });
  });

  test('get without an id is the caller; an e-mail address finds a user too', async () => {
    const { svc, lastRequest } = await against(handlers);
    const asked = async (...args: string[]) => {
      expect((await svc(['users', 'get', ...args])).code).toBe(0);
      const { userId, email } = lastRequest();
      return { userId, email };
    };
    expect(await asked()).toEqual({});
    expect(await asked(ada.userId)).toEqual({ userId: ada.userId });
    expect(await asked('--email', 'ada@example.org')).toEqual({ email: 'ada@example.org' });
    expect((await svc(['users', 'get', ada.userId, '--email', 'x@y'])).code).toBe(64);
  });

  test('every page is listed, to the limit', async () => {
    const { svc, server } = await against({
      unary: {
        ListUsers: ({ request }) =>
          'nextToken' in request && request.nextToken === 'two' ? { users: [ada] } : { users: [ada], nextToken: 'two' },
      },
    });
    const count = async (...flags: string[]) =>
      (await svc(['users', 'list', '-o', 'ndjson', ...flags])).stdout.trimEnd().split('\n').length;
    expect([await count(), await count('--limit', '1'), await count('--all')]).toEqual([2, 1, 2]);
    expect(server.calls).toHaveLength(5);
  });

  test('a list that the default limit cuts says so; one that was asked for does not', async () => {
    const { svc } = await against({
      unary: { ListUsers: () => ({ users: Array.from({ length: 50 }, () => ada), nextToken: 'more' }) },
    });
    const told = async (...flags: string[]) => (await svc(['users', 'list', ...flags])).stderr;
    expect(await told()).toBe('These are the first 50. To list all of them: --all\n');
    expect(await told('-o', 'json')).toBe('These are the first 50. To list all of them: --all\n');
    expect(await told('--limit', '50')).toBe('');
  });

  test('update sends the given fields; delete asks', async () => {
    const { svc, server, lastRequest } = await against(handlers);
    await svc(['users', 'update', ada.userId, '--role', 'USER']);
    expect(lastRequest()).toMatchObject({ userId: ada.userId, role: Role.USER });
    expect(lastRequest()).not.toHaveProperty('displayName');
    const asked = await svc(['users', 'delete', ada.userId], { terminal: true, stdin: 'n\n' });
    expect(asked.code).toBe(1);
    expect(asked.stderr.replaceAll('\n', ' ')).toContain(
      `Delete the user ada@example.org (${ada.userId}) with all its keys? This cannot be undone.`,
    );
    expect((await svc(['users', 'delete', ada.userId])).code).toBe(64);
    expect(server.calls.map(({ name }) => name)).not.toContain('DeleteUser');
    expect(await svc(['users', 'delete', ada.userId, '-f'])).toMatchObject({ code: 0, stdout: '' });
  });

  test.each([60, 80, 200])('on %i columns', async (columns) => {
    const { svc } = await against(handlers);
    const shown = async (...args: string[]) =>
      (await svc(['users', ...args, '--no-color'], { terminal: true, columns })).stdout;
    expect(`\n${await shown('list')}\n${await shown('get')}`).toMatchSnapshot();
  });
});

describe('API keys', () => {
  test('flags become fields of create, and names of spaces ids', async () => {
    const { svc, lastRequest } = await against(handlers);
    const flags = ['--label', 'purpose=ci', '--label', 'team=home', '--expires', '90d', '--read-only'];
    const whose = ['--user', ada.userId, '--id', OTHER, '--space', SPACE, '--space', OTHER];
    await svc(['apikeys', 'create', ...flags, ...whose]);
    expect(lastRequest()).toMatchObject({
      labels: { purpose: 'ci', team: 'home' },
      expiresAt: timestampFromMs(Date.UTC(2026, 2, 5, 9, 30) + 90 * 86_400_000),
      userId: ada.userId,
      apiKeyId: OTHER,
      restrictions: { readOnly: true, spaceIds: [SPACE, OTHER] },
    });
    await svc(['apikeys', 'create', '--expires', '2027-01-01']);
    expect(lastRequest()).toMatchObject({ expiresAt: timestampFromMs(Date.UTC(2027, 0, 1)) });
    expect(lastRequest().restrictions).toBeUndefined();
  });

  test('the key alone goes to stdout, the advice to stderr', async () => {
    const { svc } = await against(handlers);
    const { stdout, stderr } = await svc(['apikeys', 'create']);
    expect(stdout).toBe('svc_y3y7aftalkaa6oogpioh3rculllkm7xj\n');
    expect(stderr).toBe(
      `Key ${key.apiKeyId}. It expires 2027-01-01T00:00:00Z.\nKeep it now: it cannot be shown again.\n`,
    );
    const json = await svc(['apikeys', 'create', '-o', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      rawApiKey: stdout.trim(),
      apiKeyMetadata: { keyPrefix: 'svc_y3y7' },
    });
    expect(json.stderr).toBe('');
  });

  test('update changes status and labels', async () => {
    const { svc, lastRequest } = await against(handlers);
    const sent = async (...flags: string[]) => {
      await svc(['apikeys', 'update', key.apiKeyId, ...flags]);
      return lastRequest();
    };
    expect(await sent('--status', 'inactive')).toMatchObject({ status: ApiKeyStatus.INACTIVE });
    expect(await sent('--replace-labels', 'a=b')).toMatchObject({
      labelUpdate: { case: 'replaceLabels', value: { labels: { a: 'b' } } },
    });
    expect(await sent('--replace-labels', '')).toMatchObject({
      labelUpdate: { case: 'replaceLabels', value: { labels: {} } },
    });
    expect(await sent('--merge-labels', 'a=b')).toMatchObject({ labelUpdate: { case: 'mergeLabels' } });
    const both = await svc(['apikeys', 'update', key.apiKeyId, '--merge-labels', 'a=b', '--replace-labels', 'c=d']);
    expect(both).toMatchObject({ code: 64, stderr: expect.stringContaining('not both') });
  });

  test('keys are listed by user; an empty list says what to do next', async () => {
    const { svc, lastRequest } = await against({ unary: { ListApiKeys: () => ({}) } });
    expect(await svc(['apikeys', 'list', '--user', ada.userId])).toEqual({
      code: 0,
      stdout: '',
      stderr: `No API keys. Make one: svc apikeys create --user ${ada.userId}\n`,
    });
    expect(lastRequest()).toMatchObject({ userId: ada.userId });
    expect((await svc(['apikeys', 'list'])).stderr).toBe('No API keys. Make one: svc apikeys create\n');
  });

  test.each([60, 80, 200])('on %i columns', async (columns) => {
    const { svc } = await against(handlers);
    const shown = async (...args: string[]) =>
      (await svc(['apikeys', ...args, '--no-color'], { terminal: true, columns })).stdout;
    expect(`\n${await shown('list')}\n${await shown('get', X)}`).toMatchSnapshot();
  });
});
