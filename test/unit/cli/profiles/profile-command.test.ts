import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useConfigHomes } from '../config-home.fixture.ts';
import { KEY, svcIn } from './profiles.fixture.ts';

const newHome = useConfigHomes();

describe('profile', () => {
  test('create stores what the flags say and nothing else; the first one becomes the current one', async () => {
    const home = await newHome();
    const svc = svcIn(home, { env: { SVC_TLS: 'insecure', SVC_API_KEY: 'svc_fromtheenvironment' }, stdin: `${KEY}\n` });
    const first = await svc(
      ...['profile', 'create', 'local', '--server', 'https://localhost:9090', '--api-key-file', '-'],
      ...['--default-output', 'ndjson'],
    );
    expect(first.code).toBe(0);
    expect(first.stdout + first.stderr).not.toContain(KEY);
    expect(first.stderr).toBe('Profile local is the current one.\n');
    expect((await svc('profile', 'create', 'work', '--server', 'memory.example.com', '--tls', 'verify')).stderr).toBe(
      'Use it: svc --profile work COMMAND, or for good: svc profile use work\n',
    );
    expect(await home.read()).toEqual({
      currentProfile: 'local',
      profiles: {
        local: { server: 'https://localhost:9090', apiKey: KEY, output: 'ndjson' },
        work: { server: 'memory.example.com', tls: 'verify' },
      },
    });
    expect((await stat(home.path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(home.path))).mode & 0o777).toBe(0o700);
  });

  test('list and show mask keys in every form until --show-key', async () => {
    const home = await newHome();
    await home.write({
      currentProfile: 'local',
      profiles: { work: { server: 'w.example' }, local: { apiKey: KEY, tls: 'pin' } },
    });
    const svc = svcIn(home);
    expect((await svc('profile', 'list')).stdout).toMatchInlineSnapshot(`
      "NAME   CURRENT  SERVER     API KEY    TLS   OUTPUT
      local  yes                 svc_abcd…  pin   auto
      work   no       w.example             auto  auto
      "
    `);
    for (const form of ['table', 'json', 'ndjson']) {
      for (const args of [['list'], ['show', 'local'], ['show']]) {
        const { stdout } = await svc('profile', ...args, '-o', form);
        expect(stdout, `${args} ${form}`).toContain('svc_abcd…');
        expect(stdout, `${args} ${form}`).not.toContain(KEY);
        expect((await svc('profile', ...args, '-o', form, '--show-key')).stdout).toContain(KEY);
      }
    }
    expect(JSON.parse((await svc('profile', 'show', 'local', '-o', 'json')).stdout)).toEqual({
      name: 'local',
      current: true,
      apiKey: 'svc_abcd…',
      tls: 'pin',
    });
  });

  test('a malformed key is not shown at all', async () => {
    const home = await newHome();
    await home.write({ profiles: { odd: { apiKey: 'hunter2' } } });
    expect((await svcIn(home)('profile', 'show', 'odd', '-o', 'json')).stdout).toContain('"apiKey": "…"');
  });

  test('use, update and delete', async () => {
    const home = await newHome();
    await home.write({ currentProfile: 'a', profiles: { a: { apiKey: KEY }, b: {} } });
    const svc = svcIn(home);
    expect(await svc('profile', 'use', 'b')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Profile b is the current one; its server is localhost:9090.\n',
    });
    await svc('profile', 'update', '--server', 'b.example:1', '--default-output', 'json');
    await svc('profile', 'update', 'a', '--tls', 'insecure');
    expect(await home.read()).toEqual({
      currentProfile: 'b',
      profiles: { a: { apiKey: KEY, tls: 'insecure' }, b: { server: 'b.example:1', output: 'json' } },
    });
    expect(await svc('profile', 'delete', 'b', '-f', '-o', 'table')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Deleted profile b\nNo profile is the current one now. Choose one: svc profile use NAME\n',
    });
    expect(await home.read()).toEqual({ profiles: { a: { apiKey: KEY, tls: 'insecure' } } });
  });

  test('delete asks on a terminal, and needs -f elsewhere', async () => {
    const home = await newHome();
    await home.write({ profiles: { a: {} } });
    const asked = await svcIn(home, { terminal: true, stdin: 'n\n' })('profile', 'delete', 'a');
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('Delete the profile a?') });
    expect((await svcIn(home)('profile', 'delete', 'a')).code).toBe(64);
    expect(await home.read()).toEqual({ profiles: { a: {} } });
    expect((await svcIn(home, { terminal: true, stdin: 'y\n' })('profile', 'delete', 'a')).code).toBe(0);
    expect(await home.read()).toEqual({ profiles: {} });
  });

  test('empty states say what to do', async () => {
    const svc = svcIn(await newHome());
    expect(await svc('profile', 'list')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No profiles yet. Make one: svc profile create NAME --server ADDR --api-key-file FILE\n',
    });
    expect((await svc('profile', 'list', '-o', 'json')).stdout).toBe('[]\n');
    expect(await svc('profile', 'show')).toMatchObject({
      code: 78,
      stderr: 'svc: No profile is in use\n  Name one, or choose one: svc profile use NAME\n',
    });
  });

  test('mistakes', async () => {
    const home = await newHome();
    await home.write({ profiles: { a: {}, b: {} } });
    const svc = svcIn(home);
    const unknown = 'svc: There is no profile "x"\n  Profiles: a, b\n  Make it: svc profile create x\n';
    for (const args of [
      ['use', 'x'],
      ['show', 'x'],
      ['update', 'x', '--tls', 'pin'],
      ['delete', 'x', '-f'],
    ]) {
      expect(await svc('profile', ...args), args.join(' ')).toEqual({ code: 78, stdout: '', stderr: unknown });
    }
    expect((await svc('profile', 'create', 'a')).code).toBe(65);
    expect((await svc('profile', 'create', '../a')).code).toBe(78);
    expect((await svc('profile', 'create', '__proto__')).code).toBe(78);
    expect((await svc('profile', 'create', 'c', '--server', 'ftp://x')).code).toBe(64);
    expect((await svc('profile', 'create', 'c', '--api-key', 'a b')).code).toBe(64);
    expect((await svc('profile', 'update', 'a')).code).toBe(64);
    expect(await home.read()).toEqual({ profiles: { a: {}, b: {} } });
  });
});

describe('update with another server', () => {
  const update = ['profile', 'update', '--server', 'new.example'];
  async function withKey() {
    const home = await newHome();
    await home.write({ currentProfile: 'a', profiles: { a: { server: 'old.example', apiKey: KEY } } });
    return home;
  }

  test('removes the key of the old server and says so', async () => {
    const home = await withKey();
    const { code, stderr } = await svcIn(home)(...update);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'The API key of the old server was removed from profile a. Give the one of the new server: svc profile update a --api-key-file FILE\n',
    });
    expect(await home.read()).toEqual({ currentProfile: 'a', profiles: { a: { server: 'new.example' } } });
  });

  test('keeps the key for another spelling of the same server, and replaces it by a new key silently', async () => {
    const home = await withKey();
    expect((await svcIn(home)('profile', 'update', '--server', 'https://OLD.example:9090')).stderr).toBe('');
    expect(await home.read()).toMatchObject({ profiles: { a: { apiKey: KEY } } });
    expect((await svcIn(home)(...update, '--api-key', 'svc_new')).stderr).toBe('');
    expect(await home.read()).toMatchObject({ profiles: { a: { server: 'new.example', apiKey: 'svc_new' } } });
  });

  test.each([
    ['n\n', 1, { server: 'old.example', apiKey: KEY }],
    ['y\n', 0, { server: 'new.example' }],
  ])('asks on a terminal: %j', async (stdin, code, profile) => {
    const home = await withKey();
    const asked = await svcIn(home, { terminal: true, stdin, columns: 300 })(...update);
    expect(asked.code).toBe(code);
    expect(asked.stderr).toContain(
      `The API key ${KEY.slice(0, 8)}… is for old.example and will be removed from the profile. It cannot be shown again. Go on? [y/N] `,
    );
    expect(await home.read()).toMatchObject({ profiles: { a: profile } });
  });
});
