import { describe, expect, test } from 'vitest';
import { cli } from '../../../../../support/client/host.fixture.ts';
import { certificate, type Door, tlsCredentials } from '../../../tls.fixture.ts';
import { useTlsServers } from '../tls-servers.fixture.ts';

const KEY = 'svc_secretsecretsecretsecretsecret';

const { serve, door } = useTlsServers();

const selfSigned = certificate(['localhost', '127.0.0.1']);

/** `system info` with a key; the server's view is in its `calls`. */
function info({ port }: Door, ...flags: string[]) {
  return cli(['system', 'info', '-o', 'ndjson', '--server', `127.0.0.1:${port}`, '--api-key', KEY, ...flags]);
}

describe('no key is sent over a connection that was not allowed', () => {
  test.each(['verify', 'insecure'])('--tls %s: a plaintext server gets a handshake and nothing else', async (mode) => {
    const server = await serve();
    const way = await door(server.port);
    expect((await info(way, '--tls', mode)).code).toBe(69);
    expectHandshakesOnly(way.sent());
    // The same server where plaintext is allowed: the test sees what it looks for.
    expect((await info(way)).code).toBe(0);
    expect(way.sent().at(-1)?.toString('latin1')).toContain('PRI * HTTP/2.0');
    expect(server.calls).toMatchObject([{ key: KEY }]);
  });

  test('a certificate that changes between the handshake and the call ends the call', async () => {
    const first = await serve(tlsCredentials(await selfSigned));
    const second = await serve(tlsCredentials(await certificate(['127.0.0.1'])));
    const way = await door(first.port, second.port);
    const { code, stderr } = await info(way);
    expect(code).toBe(69);
    expect(stderr).toContain('it shows another certificate than a moment ago');
    expect([...first.calls, ...second.calls]).toEqual([]);
    way.leadTo(first.port, second.port);
    expect((await info(way, '--tls', 'insecure')).code).toBe(0);
    expect(second.calls).toMatchObject([{ key: KEY }]);
  });

  test('TLS replaced by plaintext between the handshake and the call ends the call', async () => {
    const first = await serve(tlsCredentials(await selfSigned));
    const second = await serve();
    const way = await door(first.port, second.port);
    expect((await info(way, '--tls', 'insecure')).code).toBe(69);
    expectHandshakesOnly(way.sent());
    expect([...first.calls, ...second.calls]).toEqual([]);
  });

  function expectHandshakesOnly(connections: readonly Buffer[]): void {
    expect(connections.length).toBeGreaterThan(0);
    for (const bytes of connections) {
      // The type of a TLS handshake record; TLS ends up with an alert, never with a request.
      expect(bytes[0]).toBe(0x16);
      expect(bytes.toString('latin1')).not.toMatch(/PRI \* HTTP\/2\.0|svc_/);
    }
  }
});
