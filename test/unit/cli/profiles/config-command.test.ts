import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { cli } from '../../../support/client/host.fixture.ts';
import { useConfigHomes } from '../config-home.fixture.ts';
import { KEY } from './profiles.fixture.ts';

const newHome = useConfigHomes();

describe('config', () => {
  test('shows every value with its source: flag, environment, profile, default', async () => {
    const home = await newHome();
    await home.write({
      currentProfile: 'local',
      profiles: { local: { server: 'x.example', apiKey: KEY, tls: 'pin' } },
    });
    const env = { ...home.env, SVC_TLS: 'verify', NO_COLOR: '1', SVC_PLAIN: '0' };
    const { code, stdout, stderr } = await cli(['config', '--server', 'y.example:1'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.replace(/^config-file .*\n/m, '').replaceAll(/ {2,}/g, '  ')).toMatchInlineSnapshot(`
      "SETTING  VALUE  SOURCE
      profile  local  the config file
      server  y.example:1  flag --server
      api-key  svc_abcd…  profile local, for x.example:9090
      tls  verify  environment SVC_TLS
      output  auto  default
      no-color  yes  environment NO_COLOR
      plain  no  environment SVC_PLAIN
      "
    `);
    const rows = JSON.parse((await cli(['config', '-o', 'json'], { env })).stdout);
    expect(rows[0]).toEqual({ name: 'config-file', value: home.path, source: 'environment XDG_CONFIG_HOME' });
    expect(rows).toContainEqual({ name: 'output', value: 'json', source: 'flag --output' });
    const other = await cli(['config', '-o', 'ndjson', '--profile', 'local'], {
      env: { ...env, SVC_API_KEY: `${KEY}x` },
    });
    const lines = other.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual({ name: 'profile', value: 'local', source: 'flag --profile' });
    expect(lines).toContainEqual({ name: 'api-key', value: 'svc_abcd…', source: 'environment SVC_API_KEY' });
    expect(stdout + other.stdout).not.toContain(KEY);
  });

  test('precedence is flag, variable, profile, default', async () => {
    const home = await newHome();
    await home.write({ profiles: { a: { server: 'profile.example' } } });
    const server = async (env: Record<string, string>, ...flags: string[]) => {
      const { stdout } = await cli(['config', '-o', 'json', ...flags], { env: { ...home.env, ...env } });
      return JSON.parse(stdout).find(({ name }: { name: string }) => name === 'server').value;
    };
    expect(await server({})).toBe('localhost:9090');
    expect(await server({ SVC_PROFILE: 'a' })).toBe('profile.example');
    expect(await server({ SVC_PROFILE: 'a', SVC_SERVER: 'env.example' })).toBe('env.example');
    expect(await server({ SVC_PROFILE: 'a', SVC_SERVER: 'env.example' }, '--server', 'flag.example')).toBe(
      'flag.example',
    );
  });

  test('without a file it says how to make one; HOME is used when XDG_CONFIG_HOME is missing or relative', async () => {
    const env = { HOME: '/nowhere', XDG_CONFIG_HOME: 'relative' };
    const { code, stdout, stderr } = await cli(['config'], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^config-file +\/nowhere\/\.config\/svc\/config\.json +default$/m);
    expect(stderr).toBe('There is no config file yet. Make a profile: svc profile create NAME --server ADDR\n');
    expect((await cli(['config'])).stdout).toMatch(/^config-file +none +no XDG_CONFIG_HOME and no HOME$/m);
    expect((await cli(['profile', 'create', 'a'])).code).toBe(78);
  });

  test.each([60, 80, 200])('on %i columns', async (columns) => {
    const home = await newHome();
    await home.write({ profiles: {} });
    const { stdout } = await cli(['config', '--no-color'], { env: home.env, terminal: true, columns });
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    expect(stdout).toContain('localhost:9090');
  });
});

describe('an invalid config file', () => {
  test.each([
    ['{"profiles":', 'it is not JSON'],
    [`"${KEY}`, 'it is not JSON'],
    ['[]', 'it is not an object'],
    ['{"profile":{}}', 'profile is not a known field; the fields are currentProfile, profiles'],
    ['{"currentProfile":5}', 'currentProfile is not a string'],
    ['{"profiles":[]}', 'profiles is not an object'],
    ['{"profiles":{"a":"b"}}', 'profiles.a is not an object'],
    [
      '{"profiles":{"a":{"apikey":"x"}}}',
      'profiles.a.apikey is not a known field; the fields are server, apiKey, tls,',
    ],
    ['{"profiles":{"a":{"tls":"maybe"}}}', 'profiles.a.tls is not one of auto, verify, pin, insecure, plaintext'],
    ['{"profiles":{"a":{"output":"yaml"}}}', 'profiles.a.output is not one of auto, tui, table, json, ndjson'],
    ['{"profiles":{"a":{"tlsSeen":"yes"}}}', 'profiles.a.tlsSeen is not true or false'],
    ['{"profiles":{"a":{"certificateSha256":"AB"}}}', 'profiles.a.certificateSha256 is not a SHA-256'],
  ])('%s', async (content, why) => {
    const home = await newHome();
    await home.write(content);
    for (const args of [['health'], ['config'], ['profile', 'list'], ['profile', 'create', 'n']]) {
      const { code, stdout, stderr } = await cli(args, { env: home.env });
      expect({ code, stdout }, args.join(' ')).toEqual({ code: 78, stdout: '' });
      const [what, reason, next] = stderr.split('\n');
      expect(what).toBe(`svc: The config file ${home.path} is not valid`);
      expect(reason).toContain(why);
      expect(next).toContain('svc profile create');
      expect(stderr).not.toContain(KEY);
    }
  });

  test('an unreadable config file', async () => {
    const home = await newHome();
    await mkdir(home.path, { recursive: true });
    const { code, stderr } = await cli(['health'], { env: home.env });
    expect(code).toBe(78);
    expect(stderr).toBe(
      `svc: Cannot read the config file ${home.path}\n  it is a folder\n  Make it readable for this user: chmod 600 ${home.path}\n`,
    );
  });

  test('does not affect help, the version and commands without a server', async () => {
    const home = await newHome();
    await home.write('{');
    for (const args of [['--help'], ['--version'], ['profile', 'create', '--help'], ['completion', 'bash']])
      expect((await cli(args, { env: home.env })).code, args.join(' ')).toBe(0);
  });

  test('an unwritable folder is reported with what to do', async () => {
    const home = await newHome();
    await writeFile(dirname(home.path), 'a file');
    const { code, stderr } = await cli(['profile', 'create', 'a'], { env: home.env });
    expect(code).toBe(78);
    expect(stderr).toContain(`svc: Cannot write the config file ${home.path}\n  a part of its path is not a folder\n`);
  });

  test('a config file that other users can read is used, with a warning', async () => {
    const home = await newHome();
    await home.write({ profiles: { a: { apiKey: KEY } } });
    await chmod(home.path, 0o644);
    const { code, stderr } = await cli(['profile', 'list'], { env: home.env });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `svc: Other users of this machine may read the keys in ${home.path}. To forbid it: chmod 600 ${home.path}\n`,
    });
    await cli(['profile', 'create', 'b'], { env: home.env });
    expect((await stat(home.path)).mode & 0o777).toBe(0o600);
  });
});

describe('writing', () => {
  test('concurrent processes lose no change and leave no temporary file', async () => {
    const home = await newHome();
    const main = fileURLToPath(new URL('../../../../src/cli/main.ts', import.meta.url));
    const script = `
      const { main } = await import(${JSON.stringify(main)});
      for (let at = 0; at < 15; at += 1) await main(['node', 'svc', 'profile', 'create', process.argv[1] + at]);`;
    const write = (name: string) =>
      promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, '--', name], {
        env: { ...process.env, ...home.env },
      });
    await Promise.all([write('a'), write('b')]);
    const { profiles } = (await home.read()) as { profiles: object };
    expect(Object.keys(profiles)).toHaveLength(30);
    expect(await readdir(dirname(home.path))).toEqual(['config.json']);
  });

  test('the lock of a killed process is removed', async () => {
    const home = await newHome();
    await home.write({ profiles: {} });
    await writeFile(`${home.path}.lock`, 'left behind');
    await utimes(`${home.path}.lock`, 0, 0);
    expect((await cli(['profile', 'create', 'a'], { env: home.env })).code).toBe(0);
    expect(await readdir(dirname(home.path))).toEqual(['config.json']);
  });

  test('a canceled command stops waiting for the lock', async () => {
    const home = await newHome();
    await home.write({ profiles: {} });
    await writeFile(`${home.path}.lock`, 'held');
    const stop = AbortSignal.abort(new Error('stopped'));
    expect((await cli(['profile', 'create', 'a'], { env: home.env, signal: stop })).code).not.toBe(0);
    expect(await home.read()).toEqual({ profiles: {} });
  });

  test('a link to the file stays one', async () => {
    const home = await newHome();
    await home.write({ profiles: {} });
    const kept = join(home.env.XDG_CONFIG_HOME, 'kept.json');
    await rm(home.path);
    await writeFile(kept, '{}', { mode: 0o600 });
    await symlink(kept, home.path);
    await cli(['profile', 'create', 'a'], { env: home.env });
    expect(await home.read()).toEqual({ currentProfile: 'a', profiles: { a: {} } });
    expect((await readdir(dirname(home.path), { withFileTypes: true }))[0]?.isSymbolicLink()).toBe(true);
  });
});
