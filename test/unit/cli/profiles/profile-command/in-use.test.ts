import { describe, expect, test } from 'vitest';
import { SpaceService } from '../../../../../src/shared/gen/service/v1/space_pb.ts';
import { SystemService } from '../../../../../src/shared/gen/service/v1/system_pb.ts';
import { useConfigHomes } from '../../config-home.fixture.ts';
import { useService } from '../../service.fixture.ts';
import { KEY, svcIn } from '../profiles.fixture.ts';

const newHome = useConfigHomes();
const start = useService([SpaceService, SystemService]);

describe('the profile in use', () => {
  test('an unknown one ends a command with 78 and the known names', async () => {
    const home = await newHome();
    await home.write({ currentProfile: 'gone', profiles: { a: {} } });
    const svc = svcIn(home);
    expect(await svc('health', '--profile', 'x')).toMatchObject({
      code: 78,
      stderr: 'svc: There is no profile "x"\n  Profiles: a\n  Make it: svc profile create x\n',
    });
    expect((await svcIn(home, { env: { SVC_PROFILE: 'y' } })('health')).stderr).toContain('no profile "y"');
    expect((await svc('health')).stderr).toBe(
      'svc: There is no profile "gone"\n  the config file says that it is the current one. Profiles: a\n  Choose one: svc profile use NAME\n',
    );
    expect((await svc('profile', 'use', 'a')).code).toBe(0);
  });

  test('its output format ranks below flag and variable', async () => {
    const home = await newHome();
    await home.write({ currentProfile: 'a', profiles: { a: { output: 'json' } } });
    expect((await svcIn(home)('profile', 'show')).stdout).toMatch(/^\{\n/);
    expect((await svcIn(home, { env: { SVC_OUTPUT: 'ndjson' } })('profile', 'show')).stdout).toMatch(/^\{"name"/);
    expect((await svcIn(home)('profile', 'show', '-o', 'table')).stdout).toMatch(/^NAME/);
  });

  test('its output format applies to failures too, and so does that of a selection', async () => {
    const home = await newHome();
    await home.write({ currentProfile: 'a', profiles: { a: { output: 'json' }, b: { output: 'table' } } });
    const isJson = async (args: string[], env = {}) => {
      const { code, stderr } = await svcIn(home, { env })(...args);
      expect(code, args.join(' ')).not.toBe(0);
      return stderr.startsWith('{"error":{"code":"');
    };
    const unknown = ['profile', 'show', 'nosuch'];
    expect(await isJson(unknown)).toBe(true);
    expect(await isJson(['spaces', 'lits'])).toBe(true);
    expect(await isJson(['spaces', 'list', '--limit', 'x'])).toBe(true);
    for (const args of [unknown, ['spaces', 'lits']]) {
      expect(await isJson([...args, '-o', 'table'])).toBe(false);
      expect(await isJson([...args, '--profile', 'b'])).toBe(false);
      expect(await isJson(args, { SVC_OUTPUT: 'table' })).toBe(false);
      expect(await isJson([...args, '--profile=b', '-ojson'])).toBe(true);
    }
    const selecting = ['spaces', 'list', '--profile', 'b', '--server', 'http://127.0.0.1:1'];
    expect(await isJson(selecting)).toBe(false);
    expect(await isJson([...selecting, '--json', 'name'])).toBe(true);
    expect(await isJson([...selecting, '--json=name', '--jq', '.['])).toBe(true);
    expect(await isJson([...selecting, '--json', 'name', '--limit', 'x'])).toBe(true);
    expect(await isJson([...selecting, '--json', 'name', '--nosuch'])).toBe(true);
    // The fields that there are, for people.
    expect(await isJson([...selecting, '--json'])).toBe(false);
  });

  describe('with another server', () => {
    const OWN = 'LOCALHOST:1';
    const profiles = { a: { server: OWN, apiKey: KEY, tls: 'plaintext' } };

    /** A server that is not the profile's, and what it was sent. */
    async function another(config: object = { currentProfile: 'a', profiles }) {
      const home = await newHome();
      const unary = { ListSpaces: () => ({}), GetSystemInfo: () => ({ version: '1.2.3' }) };
      const { server } = await start({ unary });
      const other = `127.0.0.1:${server.port}`;
      await home.write(config);
      const call = (args: string[], options = {}) => svcIn(home, options)(...args, '-o', 'ndjson');
      return { home, call, other, server };
    }

    test('its key is not sent there', async () => {
      const { call, other, server } = await another();
      const refused = {
        code: 78,
        stdout: '',
        stderr: expect.stringContaining(`The API key of profile a is not sent to ${other}`),
      };
      expect(await call(['spaces', 'list', '--server', other])).toEqual(refused);
      expect(await call(['spaces', 'list'], { env: { SVC_SERVER: other } })).toEqual(refused);
      expect(await call(['spaces', 'list', '--server', `http://${other}`])).toEqual(refused);
      // Not even named: a variable may have been set for all that is done in this terminal.
      expect(await call(['spaces', 'list', '--server', other], { env: { SVC_PROFILE: 'a' } })).toEqual(refused);
      expect(server.calls).toEqual([]);
    });

    test('nor is that of a profile that names no server, whose server is the default one', async () => {
      const { call, other, server } = await another({ currentProfile: 'a', profiles: { a: { apiKey: KEY } } });
      expect((await call(['spaces', 'list', '--server', other])).stderr).toContain('localhost:9090');
      expect(server.calls).toEqual([]);
    });

    test('the message names the server of the key and what to do', async () => {
      const { home, other } = await another();
      expect((await svcIn(home)('spaces', 'list', '--server', other)).stderr).toBe(
        [
          `svc: The API key of profile a is not sent to ${other}`,
          `  it belongs to the server of that profile, ${OWN}`,
          '  Give a key with --api-key-file FILE or SVC_API_KEY, or send this one all the same: --profile a\n',
        ].join('\n'),
      );
      expect((await svcIn(home)('config', '--server', other)).stdout).toContain(`profile a, for ${OWN}`);
    });

    test('operations without authentication are called without the key', async () => {
      const { call, other, server } = await another();
      expect((await call(['system', 'info', '--server', other])).code).toBe(0);
      expect(server.calls.map(({ key }) => key)).toEqual([undefined]);
    });

    test('its key is sent when the profile is named explicitly, with a remark; another key is sent without one', async () => {
      const { call, other, server } = await another();
      const key = `svc: ${other}: sending it the API key of profile a, whose server is ${OWN}\n`;
      const rung = `svc: ${other}: --tls plaintext comes from profile a, whose server is ${OWN}. To forbid it: --tls verify\n`;
      const list = async (...args: string[]) => (await call(['spaces', 'list', '--server', other, ...args])).stderr;
      expect(await list('--profile', 'a')).toBe(key + rung);
      expect(await list('--api-key', 'svc_own', '--profile', 'a')).toBe(rung);
      expect(await list('--api-key', 'svc_own', '--tls', 'plaintext')).toBe('');
      expect(server.calls.map(({ key: sent }) => sent)).toEqual([KEY, 'svc_own', 'svc_own']);
      // Its own server, however that is written.
      expect((await call(['spaces', 'list', '--server', 'localhost:1'])).code).toBe(69);
    });

    test.each(['plaintext', 'insecure'])('its --tls %s does not apply: verified TLS is tried first', async (tls) => {
      const { home, call, other, server } = await another({
        currentProfile: 'a',
        profiles: { a: { ...profiles.a, tls } },
      });
      const env = { SVC_API_KEY: 'svc_own' };
      const { code, stderr } = await call(['spaces', 'list', '--server', other], { env });
      expect(code).toBe(0);
      expect(stderr).toMatch(new RegExp(`^svc: ${other}: .*; using plaintext: everything, the API key too, .*\n$`));
      expect((await call(['spaces', 'list', '--server', other, '--tls', 'verify'], { env })).code).toBe(69);
      expect(server.calls).toHaveLength(1);
      const shown = await svcIn(home)('config', '--server', other, '-o', 'ndjson');
      expect(shown.stdout).toContain(
        `{"name":"tls","value":"auto","source":"default; ${tls} of profile a is for ${OWN}"}`,
      );
    });

    test.each([
      ['y\n', [KEY], 0],
      ['\n', [], 1],
    ])('the answer %j at a terminal decides', async (stdin, sent, code) => {
      const { call, other, server } = await another();
      const answered = await call(['spaces', 'list', '--server', other], { terminal: true, stdin });
      expect(answered.stderr).toContain(`Send the API key of profile a, whose server is ${OWN}, to ${other}? [y/N]`);
      expect(answered.code).toBe(code);
      expect(server.calls.map(({ key }) => key)).toEqual(sent);
    });
  });
});
