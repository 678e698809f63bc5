import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseAddress } from '../../../../../src/cli/kit/config/address.ts';
import { cli } from '../../../../support/client/host.fixture.ts';
import { NO_CONFIG } from '../../../../support/server.ts';
import { type Certificate, certificate, tlsCredentials } from '../../tls.fixture.ts';
import { useTlsServers } from './tls-servers.fixture.ts';

const BINARY = fileURLToPath(new URL('../../../../../bin/svc.js', import.meta.url));
const KEY = 'svc_secretsecretsecretsecretsecret';
const { serve, door } = useTlsServers();

const selfSigned = certificate(['localhost', '127.0.0.1']);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-cli-tls-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** `system info` with a key; the server's view is in its `calls`. */
function info(server: string, ...flags: string[]) {
  return cli(['system', 'info', '-o', 'ndjson', '--server', server, '--api-key', KEY, ...flags]);
}

describe('addresses', () => {
  test.each([
    ['localhost', 'any', 'localhost', 9090],
    ['db.lan:1234', 'any', 'db.lan', 1234],
    ['https://db.lan', 'any', 'db.lan', 9090],
    ['HTTP://db.lan:80', 'http', 'db.lan', 80],
    ['https://db.lan:9090/v1', 'any', 'db.lan', 9090],
    ['https://db.lan:9090/v1/default/', 'any', 'db.lan', 9090],
    ['[::1]:9090', 'any', '::1', 9090],
    ['http://[::1]', 'http', '::1', 9090],
  ])('%s', (text, scheme, host, port) => {
    expect(parseAddress(text)).toMatchObject({ scheme, host, port });
  });
  test.each(['', 'ftp://x', 'host:0', 'host:99999', 'a b', 'host/v2', '::1', 'https://host/v1/other'])(
    '%j is none',
    (text) => {
      expect(() => parseAddress(text)).toThrow('Not a server address');
    },
  );
});

describe('auto', () => {
  test('plaintext server: falls back to plaintext and warns once, with the flag that forbids it', async () => {
    const server = await serve();
    const { code, stdout, stderr } = await info(`127.0.0.1:${server.port}`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ version: '1.2.3' });
    expect(stderr).toMatch(
      /^svc: 127\.0\.0\.1:\d+: it (does not speak TLS|closed the connection during the TLS handshake); using plaintext: everything, the API key too, can be read on the way\. To forbid it: --tls verify\n$/,
    );
    expect(server.calls).toMatchObject([{ key: KEY }]);
  });

  test.each([
    ['self-signed', () => selfSigned, 'its certificate is self-signed'],
    ['expired', () => certificate(['127.0.0.1'], { days: [-10, -1] }), /its certificate (is self-signed|has expired)/],
  ])('%s certificate: TLS without verification, with a warning', async (_, make, reason) => {
    const server = await serve(tlsCredentials(await make()));
    const { code, stderr } = await info(`https://127.0.0.1:${server.port}`);
    expect(code).toBe(0);
    expect(stderr).toMatch(reason);
    expect(stderr).toContain('using TLS without verification. To forbid it: --tls verify\n');
  });

  test('http:// is plaintext only, silently', async () => {
    const server = await serve();
    const { code, stderr } = await info(`http://localhost:${server.port}/v1/default`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const secure = await serve(tlsCredentials(await selfSigned));
    const failed = await info(`http://127.0.0.1:${secure.port}`);
    expect(failed.code).toBe(69);
    expect(secure.calls).toEqual([]);
  });

  test('a refused connection is no reason to fall back', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => listener.once('listening', resolve));
    const address = listener.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await new Promise((resolve) => listener.close(resolve));
    const { code, stdout, stderr } = await info(`127.0.0.1:${port}`);
    expect({ code, stdout }).toEqual({ code: 69, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'UNAVAILABLE',
        message: `Cannot connect to 127.0.0.1:${port}`,
        details: 'the connection was refused',
      },
    });
  });

  test('a handshake without an answer is no reason to fall back', async () => {
    const listener = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const address = listener.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const sockets: Socket[] = [];
    const asked = new Promise<void>((resolve) => {
      listener.on('connection', (socket) => {
        sockets.push(socket);
        socket.once('data', () => resolve());
      });
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const result = info(`127.0.0.1:${port}`);
      await asked;
      await vi.advanceTimersByTimeAsync(10_000);
      const { code, stderr } = await result;
      expect(code).toBe(69);
      expect(stderr).toContain('the TLS handshake did not end within 10 s');
      expect(sockets).toHaveLength(1);
    } finally {
      vi.useRealTimers();
      for (const socket of sockets) socket.destroy();
      listener.close();
    }
  });

  test('an unknown host is no reason to fall back', async () => {
    const { code, stderr } = await info('no-such-host.invalid:9090');
    expect(code).toBe(69);
    expect(stderr).toContain('there is no such host');
    expect(stderr).not.toContain('plaintext');
  });
});

describe('one mode by choice', () => {
  test('verify refuses an unverified certificate, and the server gets no call', async () => {
    const server = await serve(tlsCredentials(await selfSigned));
    const { code, stderr } = await info(`127.0.0.1:${server.port}`, '--tls', 'verify');
    expect(code).toBe(69);
    expect(stderr).toContain('its certificate is self-signed');
    const plain = await serve();
    expect((await info(`127.0.0.1:${plain.port}`, '--tls', 'verify')).code).toBe(69);
    expect([...server.calls, ...plain.calls]).toEqual([]);
  });

  test('insecure accepts any certificate silently, but no plaintext', async () => {
    const server = await serve(tlsCredentials(await selfSigned));
    const { code, stderr } = await info(`127.0.0.1:${server.port}`, '--tls', 'insecure');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const plain = await serve();
    expect((await info(`127.0.0.1:${plain.port}`, '--tls', 'insecure')).code).toBe(69);
    expect(plain.calls).toEqual([]);
  });

  test('plaintext makes no handshake', async () => {
    const server = await serve();
    const { code, stderr } = await info(`127.0.0.1:${server.port}`, '--tls', 'plaintext');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('plaintext to a TLS server is not reported as an unreachable server', async () => {
    const server = await serve(tlsCredentials(await selfSigned));
    const args = ['system', 'info', '--server', `127.0.0.1:${server.port}`, '--tls', 'plaintext'];
    const { code, stderr } = await cli(args);
    expect({ code, stderr }).toEqual({
      code: 69,
      stderr: `svc: Cannot connect to 127.0.0.1:${server.port}
  it accepted the connection and closed it again
  Check that this is the gRPC port, and check --tls: a server with TLS does not accept plaintext
`,
    });
  });

  test('plaintext to a server that speaks something else than HTTP/2 is not reported as one that is not running', async () => {
    const listener = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    try {
      const address = listener.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const { code, stderr } = await cli(['system', 'info', '--server', `127.0.0.1:${port}`, '--tls', 'plaintext']);
      expect({ code, stderr }).toEqual({
        code: 69,
        stderr: `svc: Cannot connect to 127.0.0.1:${port}
  it answers with something else than HTTP/2
  Check that this is the gRPC port, and check --tls: a server with TLS does not accept plaintext
`,
      });
    } finally {
      listener.close();
    }
  });

  test('plaintext to an unknown host is told so', async () => {
    const { code, stderr } = await cli([
      'system',
      'info',
      '--server',
      'no-such-host.invalid:9090',
      '--tls',
      'plaintext',
    ]);
    expect(code).toBe(69);
    expect(stderr).toContain('there is no such host');
    expect(stderr).toContain('Check the name of the server');
  });

  test('SVC_TLS applies, and the flag overrides it; pin needs a profile', async () => {
    const server = await serve();
    const args = ['system', 'info', '--server', `127.0.0.1:${server.port}`];
    expect((await cli(args, { env: { SVC_TLS: 'verify' } })).code).toBe(69);
    expect((await cli([...args, '--tls', 'auto'], { env: { SVC_TLS: 'verify' } })).code).toBe(0);
    expect((await cli(args, { env: { SVC_TLS: 'pin' } })).code).toBe(78);
  });
});

describe('a certificate of a trusted authority', () => {
  /** Node reads NODE_EXTRA_CA_CERTS when it starts, so these run in a process of their own. */
  async function trusting(ca: Certificate, args: readonly string[]) {
    const file = join(folder, 'ca.pem');
    await writeFile(file, ca.cert);
    return promisify(execFile)(process.execPath, [BINARY, ...args], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: file, XDG_CONFIG_HOME: NO_CONFIG },
    });
  }

  test.each(['127.0.0.1', 'localhost'])('%s: verified silently', async (host) => {
    const ca = await certificate(['ca.test'], { isCa: true });
    const server = await serve(tlsCredentials(await certificate([host], { ca })));
    // The ladder begins there: whoever finds it verified takes no other rung, and has nothing to say.
    for (const mode of ['verify', 'auto']) {
      const address = `${host}:${server.port}`;
      const args = ['system', 'info', '-o', 'ndjson', '--server', address, '--tls', mode];
      const { stdout, stderr } = await trusting(ca, args);
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toMatchObject({ version: '1.2.3' });
    }
  });

  test('verified in the handshake and another server at the call: the call ends', async () => {
    const ca = await certificate(['ca.test'], { isCa: true });
    const server = await serve(tlsCredentials(await certificate(['127.0.0.1'], { ca })));
    const other = await serve(tlsCredentials(await selfSigned));
    const { port, sent } = await door(server.port, other.port);
    const args = ['system', 'info', '--server', `127.0.0.1:${port}`, '--api-key', KEY, '--tls', 'verify'];
    await expect(trusting(ca, args)).rejects.toMatchObject({ code: 69 });
    // The handshake, the call, and a handshake that asks why the call has failed.
    expect(sent()).toHaveLength(3);
    expect([...server.calls, ...other.calls]).toEqual([]);
  });

  test('for another host or expired: not trusted, with a warning', async () => {
    const ca = await certificate(['ca.test'], { isCa: true });
    const other = await serve(tlsCredentials(await certificate(['other.test'], { ca })));
    const args = (port: number) => ['system', 'info', '--server', `127.0.0.1:${port}`];
    expect((await trusting(ca, args(other.port))).stderr).toContain(
      'its certificate is for another host name; using TLS without',
    );
    const old = await serve(tlsCredentials(await certificate(['127.0.0.1'], { ca, days: [-10, -1] })));
    expect((await trusting(ca, args(old.port))).stderr).toContain('its certificate has expired; using TLS without');
    await expect(trusting(ca, [...args(old.port), '--tls', 'verify'])).rejects.toMatchObject({ code: 69 });
  });
});

test('--debug shows the calls and masks the key', async () => {
  const server = await serve();
  const { stderr } = await info(`http://127.0.0.1:${server.port}`, '--debug');
  expect(stderr).toContain('/service.v1.SystemService/GetSystemInfo x-api-key=svc_secr…');
  expect(stderr).not.toContain(KEY);
});

test('a key comes from the flag, a file, stdin or the environment', async () => {
  const server = await serve();
  const args = ['system', 'info', '--server', `http://127.0.0.1:${server.port}`];
  await writeFile(join(folder, 'key'), 'svc_file\n');
  await cli([...args, '--api-key-file', 'key'], { cwd: folder, env: { SVC_API_KEY: 'svc_env' } });
  await cli([...args, '--api-key-file', '-'], { stdin: 'svc_stdin\n' });
  await cli([...args, '--api-key', 'svc_flag'], { env: { SVC_API_KEY: 'svc_env' } });
  await cli(args, { env: { SVC_API_KEY: 'svc_env' } });
  await cli(args);
  expect(server.calls.map(({ key }) => key)).toEqual(['svc_file', 'svc_stdin', 'svc_flag', 'svc_env', undefined]);
  expect((await cli([...args, '--api-key-file', 'missing'], { cwd: folder })).code).toBe(66);
  expect((await cli([...args, '--api-key', 'a b'])).code).toBe(64);
});
