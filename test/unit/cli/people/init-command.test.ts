import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { SpaceService } from '../../../../src/shared/gen/service/v1/space_pb.ts';
import { SystemService } from '../../../../src/shared/gen/service/v1/system_pb.ts';
import { cli } from '../../../support/client/host.fixture.ts';
import { useConfigHomes } from '../config-home.fixture.ts';
import { useService } from '../service.fixture.ts';

const KEY = 'svc_abcdefghijklmnopqrstuvwxyz234567';
const newHome = useConfigHomes();

const start = useService([SystemService, SpaceService]);

async function newServer(initialize: () => object | Promise<object> = () => ({ rootApiKey: KEY })) {
  const unary = { InitializeSystem: async () => ({ ...(await initialize()) }), ListSpaces: () => ({}) };
  const { server } = await start({ unary });
  return { server, address: `http://127.0.0.1:${server.port}` };
}

test('without --save the key goes to stdout and nowhere else', async () => {
  const home = await newHome();
  const { address } = await newServer();
  expect(await cli(['init', '--server', address], { env: home.env })).toEqual({
    code: 0,
    stdout: `${KEY}\n`,
    stderr:
      'This is the root key. Keep it now: it cannot be shown again.\nUse it: export SVC_API_KEY=KEY, then: svc spaces create NAME\n',
  });
  await expect(home.read()).rejects.toThrow('ENOENT');
});

test('--save makes a profile of key and server, and the next command uses it', async () => {
  const home = await newHome();
  const { server, address } = await newServer();
  expect(await cli(['init', '--save', '--server', address], { env: home.env })).toEqual({
    code: 0,
    stdout: `${KEY}\n`,
    stderr:
      'This is the root key. Keep it now: it cannot be shown again.\n' +
      `Saved the key and the server ${address} in profile default of ${home.path}.\nUse it: svc spaces create NAME\n`,
  });
  expect(await home.read()).toEqual({
    currentProfile: 'default',
    profiles: { default: { server: address, apiKey: KEY } },
  });
  expect((await cli(['spaces', 'list'], { env: home.env })).code).toBe(0);
  expect(server.calls.map(({ name, key }) => [name, key])).toEqual([
    ['InitializeSystem', undefined],
    ['ListSpaces', KEY],
  ]);
});

test('--save uses the named profile, also a new one, and the current one otherwise', async () => {
  const home = await newHome();
  const { address } = await newServer();
  await home.write({ currentProfile: 'a', profiles: { a: { server: address, apiKey: 'svc_old', output: 'table' } } });
  const named = await cli(['init', '--save', '--profile', 'lab', '--server', address], { env: home.env });
  expect(named.stderr).toContain('Use it: svc --profile lab spaces create NAME\n');
  expect((await cli(['init', '--save', '--tls', 'auto'], { env: home.env })).code).toBe(0);
  expect(await home.read()).toEqual({
    currentProfile: 'a',
    profiles: {
      a: { server: address, apiKey: KEY, output: 'table', tls: 'auto' },
      lab: { server: address, apiKey: KEY },
    },
  });
});

test('--save with another server removes the remembered certificate of the profile', async () => {
  const home = await newHome();
  const { address } = await newServer();
  const certificateSha256 = Array.from({ length: 32 }, () => 'AB').join(':');
  await home.write({
    currentProfile: 'a',
    profiles: { a: { server: 'old.example', tls: 'plaintext', tlsSeen: true, certificateSha256 } },
  });
  expect((await cli(['init', '--save', '--server', address], { env: home.env })).code).toBe(0);
  expect(await home.read()).toEqual({
    currentProfile: 'a',
    profiles: { a: { server: address, apiKey: KEY, tls: 'plaintext' } },
  });
});

test('--save writes nothing when the server has its root user', async () => {
  const home = await newHome();
  const { address } = await newServer(() => ({ alreadyInitialized: true }));
  const { code, stdout, stderr } = await cli(['init', '--save', '--server', address], { env: home.env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toContain('already has its root user');
  await expect(home.read()).rejects.toThrow('ENOENT');
});

test('--save never overwrites the key of another server', async () => {
  const home = await newHome();
  const { server, address } = await newServer();
  await home.write({ currentProfile: 'a', profiles: { a: { server: 'other.example', apiKey: 'svc_other' } } });
  const { code, stderr } = await cli(['init', '--save', '--server', address], { env: home.env });
  expect(code).toBe(78);
  expect(stderr).toBe(
    'svc: Profile a holds the key of another server\n  its server is other.example\n  Save the new key in another one: svc init --save --profile NAME\n',
  );
  expect(server.calls).toEqual([]);
});

test('an unwritable config file is reported before init is called', async () => {
  const home = await newHome();
  const { server, address } = await newServer();
  await writeFile(dirname(home.path), 'a file');
  expect((await cli(['init', '--save', '--server', address], { env: home.env })).code).toBe(78);
  expect((await cli(['init', '--save', '--server', address])).code).toBe(78);
  expect(server.calls).toEqual([]);
});

test.each(['table', 'json'])(
  'a config file that becomes unwritable: the key is on stdout (%s), the failure on stderr',
  async (form) => {
    const home = await newHome();
    const { address } = await newServer(async () => {
      await rm(dirname(home.path), { recursive: true });
      await writeFile(dirname(home.path), 'a file');
      return { rootApiKey: KEY };
    });
    await mkdir(dirname(home.path));
    const { code, stdout, stderr } = await cli(['init', '--save', '--server', address, '-o', form], { env: home.env });
    expect(code).toBe(78);
    expect(stdout).toContain(KEY);
    expect(stderr).toContain('Cannot write the config file');
  },
);

const ME = '01980000-0000-7000-8000-000000000001';

test('init: the key alone on stdout, and the token in the metadata', async () => {
  let token: unknown;
  const { svc } = await start({
    unary: {
      InitializeSystem: ({ metadata }) => {
        token = metadata.get('x-service-init-token')[0];
        return { message: 'made', rootApiKey: 'svc_root', userId: ME };
      },
    },
  });
  const { code, stdout, stderr } = await svc(['init', '--init-token', '-'], { stdin: 'sesame\n' });
  expect({ code, stdout, token }).toEqual({ code: 0, stdout: 'svc_root\n', token: 'sesame' });
  expect(stderr).toContain('cannot be shown again');
  const file = join(await mkdtemp(join(tmpdir(), 'svc-init-')), 'token.txt');
  await writeFile(file, 'from a file\n');
  expect(await svc(['init', '--init-token-file', file])).toMatchObject({ code: 0, stdout: 'svc_root\n' });
  expect(token).toBe('from a file');
  const both = await svc(['init', '--init-token-file', file, '--init-token', 'x']);
  expect(both).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('Give --init-token or --init-token-file, not both'),
  });
  await writeFile(file, '\n');
  expect(await svc(['init', '--init-token-file', file])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('is empty'),
  });
  expect(await svc(['init', '--init-token-file', `${file}.missing`])).toMatchObject({ code: 66, stdout: '' });
  await rm(dirname(file), { recursive: true });
  const { svc: again } = await start({ unary: { InitializeSystem: () => ({ alreadyInitialized: true }) } });
  expect(await again(['init'])).toMatchObject({ code: 0, stdout: '' });
});
