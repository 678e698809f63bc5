import { mkdir, utimes } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { cli } from '../../../../support/client/host.fixture.ts';
import { type ConfigHome, useConfigHomes } from '../../config-home.fixture.ts';
import { type Certificate, certificate, fingerprint, tlsCredentials } from '../../tls.fixture.ts';
import { useTlsServers } from './tls-servers.fixture.ts';

const KEY = 'svc_abcdefghijklmnopqrstuvwxyz234567';
const newHome = useConfigHomes();

const { serve, door: openDoor } = useTlsServers();

const before: Promise<Certificate> = certificate(['127.0.0.1']);
const after: Promise<Certificate> = certificate(['127.0.0.1']);

/** A profile of a server that shows one certificate, and another one once it was started again. */
async function scene(profile: object = {}) {
  const [old, restarted] = [await serve(tlsCredentials(await before)), await serve(tlsCredentials(await after))];
  const door = await openDoor(old.port);
  const home: ConfigHome = await newHome();
  const server = `127.0.0.1:${door.port}`;
  await home.write({ currentProfile: 'lab', profiles: { lab: { server, apiKey: KEY, ...profile } } });
  return {
    old,
    restarted,
    door,
    home,
    server,
    svc: (...args: string[]) => cli(args, { env: home.env }),
    info: (...flags: string[]) => cli(['system', 'info', '-o', 'table', ...flags], { env: home.env }),
  };
}

describe('auto, with a profile', () => {
  test('remembers the certificate, and warns of another one once, with both fingerprints', async () => {
    const { info, door, restarted, server, home } = await scene();
    const ladder = `svc: ${server}: its certificate is self-signed; using TLS without verification. To forbid it: --tls verify\n`;
    expect((await info()).stderr).toBe(ladder);
    expect(await home.read()).toMatchObject({
      profiles: { lab: { tlsSeen: true, certificateSha256: fingerprint(await before) } },
    });
    expect((await info()).stderr).toBe(ladder);
    door.leadTo(restarted.port);
    expect((await info()).stderr).toBe(
      `${ladder}svc: ${server}: its certificate is not the one that profile lab remembers; the server may have made itself a new one. To forbid it: --tls pin\n` +
        `  before  ${fingerprint(await before)}\n  now     ${fingerprint(await after)}\n`,
    );
    expect(await info()).toMatchObject({ code: 0, stderr: ladder });
    expect(restarted.calls).toMatchObject([{ key: KEY }, { key: KEY }]);
  });

  test('warns of plaintext after TLS, every time', async () => {
    const { info, door, server } = await scene();
    await info();
    door.leadTo((await serve()).port);
    for (const _ of [1, 2]) {
      const { code, stderr } = await info();
      expect(code).toBe(0);
      expect(stderr).toContain('using plaintext: everything, the API key too, can be read on the way.');
      expect(stderr).toContain(
        `svc: ${server}: profile lab reached it over TLS before, and now it is plaintext. To forbid that: --tls pin\n` +
          `  before  ${fingerprint(await before)}\n  now     plaintext, no certificate\n`,
      );
    }
  });

  test('another server than that of the profile changes no remembered certificate', async () => {
    const { info, home, restarted } = await scene();
    await info();
    const remembered = await home.read();
    const { stderr } = await info('--server', `127.0.0.1:${restarted.port}`);
    expect(stderr).not.toContain('profile lab remembers');
    expect(await home.read()).toEqual(remembered);
  });

  test('continues with a warning when the config file cannot be written', async () => {
    const { info, home } = await scene();
    await blockLock(home);
    const { code, stderr } = await info();
    expect(code).toBe(0);
    expect(stderr).toContain('svc: profile lab cannot remember the certificate. Cannot write the config file ');
  });
});

describe('pin', () => {
  test('accepts the first certificate with a remark, then that one silently', async () => {
    const { info, home, server, old } = await scene({ tls: 'pin' });
    expect(await info()).toMatchObject({
      code: 0,
      stderr: `svc: ${server}: profile lab remembers its certificate from now on and accepts no other:\n  ${fingerprint(await before)}\n`,
    });
    expect(await home.read()).toMatchObject({ profiles: { lab: { certificateSha256: fingerprint(await before) } } });
    expect(await info()).toMatchObject({ code: 0, stderr: '' });
    expect(old.calls).toMatchObject([{ key: KEY }, { key: KEY }]);
  });

  test('refuses another certificate until the pin is removed', async () => {
    const { svc, info, door, restarted } = await scene({ tls: 'pin' });
    await info();
    door.leadTo(restarted.port);
    const refused = await info();
    expect(refused).toMatchObject({ code: 69, stdout: '' });
    expect(refused.stderr).toBe(
      `svc: The certificate of 127.0.0.1:${door.port} is not the one that profile lab is pinned to\n` +
        `  remembered ${fingerprint(await before)}, now ${fingerprint(await after)}\n` +
        '  If the new one is right: svc profile update lab --forget-certificate\n',
    );
    expect(restarted.calls).toEqual([]);
    expect((await svc('profile', 'update', 'lab', '--forget-certificate')).code).toBe(0);
    expect(await info()).toMatchObject({ code: 0, stderr: expect.stringContaining(fingerprint(await after)) });
    expect((await info()).stderr).toBe('');
  });

  test('refuses plaintext; the server gets a handshake and nothing else', async () => {
    const { info, door } = await scene({ tls: 'pin' });
    await info();
    const plain = await serve();
    door.leadTo(plain.port);
    const { code, stderr } = await info();
    expect(code).toBe(69);
    expect(stderr).toContain('and --tls pin forbids plaintext');
    expect(stderr).toContain(fingerprint(await before));
    expect(plain.calls).toEqual([]);
    expect(door.sent().at(-1)?.[0]).toBe(0x16);
    expect(door.sent().at(-1)?.toString('latin1')).not.toContain('PRI * HTTP/2.0');
  });

  test.each([
    ['known', { tls: 'pin' }],
    ['remembered just now', {}],
  ])('a certificate, %s, that changes before the call ends the call', async (_, profile) => {
    const { info, door, old, restarted } = await scene(profile);
    if ('tls' in profile) await info();
    const calls = old.calls.length;
    door.leadTo(old.port, restarted.port);
    const { code, stderr } = await info('--tls', 'pin');
    expect(code).toBe(69);
    expect(stderr).toContain('it shows another certificate than a moment ago');
    expect(old.calls).toHaveLength(calls);
    expect(restarted.calls).toEqual([]);
  });

  test('sends nothing when the first certificate cannot be remembered', async () => {
    const { info, home, old } = await scene({ tls: 'pin' });
    await blockLock(home);
    const { code, stderr } = await info();
    expect(code).toBe(78);
    expect(stderr).toContain('Cannot write the config file');
    expect(old.calls).toEqual([]);
  });

  test('needs a profile of the same server', async () => {
    const { info, restarted } = await scene();
    const { code, stderr } = await info('--tls', 'pin', '--server', `127.0.0.1:${restarted.port}`);
    expect(code).toBe(78);
    expect(stderr).toContain('there is no profile in use whose server is');
    expect(restarted.calls).toEqual([]);
  });
});

test('changing the server of a profile removes its pin', async () => {
  const { svc, info, home } = await scene();
  await info();
  await svc('profile', 'update', '--server', 'memory.example.com');
  expect(await home.read()).toEqual({
    currentProfile: 'lab',
    profiles: { lab: { server: 'memory.example.com' } },
  });
});

test('--debug names the connection that was used', async () => {
  const { info } = await scene();
  expect((await info('--debug')).stderr).toContain(
    `--tls auto: TLS without verification, certificate ${fingerprint(await before)}\n`,
  );
});

/** An abandoned lock that is a folder: it cannot be removed as the file that it should be. */
async function blockLock({ path }: ConfigHome): Promise<void> {
  await mkdir(`${path}.lock/something`, { recursive: true });
  await utimes(`${path}.lock`, 0, 0);
}
