import type { LookupAddress } from 'node:dns';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { AddressPolicy, endpointUrlProblem } from '../../../../src/server/providers/addresses.ts';
import type { ProviderHttpOptions } from '../../../../src/server/providers/http.ts';
import { failure, newHttp, newStandIn, request } from './provider-http.fixture.ts';

/** Users reach public addresses alone. */
const STRICT = policy();
const OPEN = new AddressPolicy({ allowLinkLocal: true, allowedNetworks: undefined });

function policy(allowedNetworks: readonly string[] = [], allowLinkLocal = false): AddressPolicy {
  return new AddressPolicy({ allowLinkLocal, allowedNetworks });
}

const strictHttp = (options: Partial<ProviderHttpOptions> = {}) => newHttp({ policy: STRICT, ...options });

/** A resolver that knows one answer. */
function resolvingTo(...addresses: string[]): Pick<ProviderHttpOptions, 'lookup'> {
  const found = addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }));
  return { lookup: (_name, _options, callback) => callback(null, found) };
}

describe('link-local addresses', () => {
  const linkLocal = [
    '169.254.0.0',
    '169.254.169.254',
    '169.254.255.255',
    'fe80::1',
    'febf::1',
    '[fe80::1]',
    'fe80::1%eth0',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
  ];

  it.each(linkLocal)('%s is one, refused unless the server allows it', (address) => {
    expect(STRICT.refusal(address, 'any')).toBe('link-local');
    expect(STRICT.refusal(address, 'public')).toBe('link-local');
    expect(policy(['169.254.0.0/16', 'fe80::/10']).refusal(address, 'public')).toBe('link-local');
    expect(policy([], true).refusal(address, 'any')).toBeUndefined();
  });

  it.each(linkLocal)('%s is not public where it is allowed', (address) => {
    expect(policy([], true).refusal(address, 'public')).toBe('not public');
    expect(policy(['169.254.0.0/16', 'fe80::/10'], true).refusal(address, 'public')).toBeUndefined();
  });

  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '169.253.255.255',
    '169.255.0.0',
    '::1',
    'fec0::1',
    '::ffff:10.0.0.1',
    'models.lan',
  ])('%s is not one', (address) => {
    expect(STRICT.refusal(address, 'any')).toBeUndefined();
  });
});

describe('addresses for users', () => {
  it.each([
    ['unspecified', '0.0.0.0', '0.255.255.255', '::'],
    ['loopback', '127.0.0.1', '127.255.255.254', '::1', 'localhost', 'LOCALHOST.', 'db.localhost'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.255.255', 'fc00::1', 'fdff::1'],
    ['of a carrier', '100.64.0.1', '100.100.100.200', '100.127.255.255'],
    ['of protocols', '192.0.0.192', '192.88.99.1', '2001::1', '2001:2::1', '2001:1ff:ffff::1'],
    ['of documents', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    ['of benchmarks', '198.18.0.1', '198.19.255.255'],
    ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
    ['reserved', '240.0.0.1', '255.255.255.255', '100::1', '4000::1', '5f00::1', 'fec0::1'],
    ['of a cloud', '168.63.129.16', 'fd00:ec2::254'],
    ['mapped', '::ffff:127.0.0.1', '::ffff:a00:1', '::ffff:192.168.0.1', '::ffff:0.0.0.0'],
    ['compatible', '::127.0.0.1', '::a00:1'],
    ['behind NAT64', '64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b:1::8.8.8.8', '64:ff9b::a83f:8110'],
    ['behind 6to4', '2002:7f00:1::', '2002:a00:1::1', '2002:808:808::1'],
  ])('addresses that are %s are not public', (_kind, ...addresses) => {
    for (const address of addresses) {
      expect(STRICT.refusal(address, 'public'), address).toBe('not public');
      expect(STRICT.refusal(address, 'any'), address).toBeUndefined();
      expect(OPEN.refusal(address, 'public'), address).toBeUndefined();
    }
  });

  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:200::1',
    '2606:4700:4700::1111',
    '[2606:4700:4700::1111]',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    'models.example.org',
  ])('%s is public', (address) => {
    expect(STRICT.refusal(address, 'public')).toBeUndefined();
  });

  it('a network that the server allows, as it is and as IPv6 writes it', () => {
    const allowed = policy(['10.20.0.0/16', 'fd12:3456::/32']);
    for (const address of ['10.20.0.0', '10.20.255.255', '::ffff:10.20.1.1', 'fd12:3456:ffff::1']) {
      expect(allowed.refusal(address, 'public'), address).toBeUndefined();
    }
    for (const address of ['10.19.255.255', '10.21.0.0', 'fd12:3457::1', '127.0.0.1']) {
      expect(allowed.refusal(address, 'public'), address).toBe('not public');
    }
  });

  it('no address of this machine is public', () => {
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    expect(own.length).toBeGreaterThan(0);
    for (const { address } of own) expect(STRICT.refusal(address, 'public'), address).toBeDefined();
  });
});

describe('stored addresses', () => {
  it.each([
    'http://169.254.169.254/latest',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://[::ffff:169.254.169.254]/',
    'https://[fe80::1]:8080/v1',
  ])('%s is link-local', (url) => {
    expect(endpointUrlProblem(url, STRICT, 'any')).toBe('must not be a link-local address');
    expect(endpointUrlProblem(url, policy([], true), 'any')).toBeUndefined();
  });

  it.each([
    'http://127.0.0.1:8080',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://localhost:5432/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://10.0.0.1/v1',
  ])('%s is refused for users', (url) => {
    const problem =
      'must be a public address, or one in a network that the server allows (--provider-allowed-networks)';
    expect(endpointUrlProblem(url, STRICT, 'public')).toBe(problem);
    expect(endpointUrlProblem(url, STRICT, 'any')).toBeUndefined();
  });

  it.each(['', 'models', 'ftp://models.lan', 'file:///etc/passwd', 'https://u:p@models.lan', 'https://models.lan/#a'])(
    '%j is no valid URL',
    (url) => {
      expect(endpointUrlProblem(url, OPEN, 'any')).toEqual(expect.any(String));
    },
  );

  it.each(['https://models.example.org/v1', 'http://8.8.8.8:8080'])('%s is allowed for all users', (url) => {
    expect(endpointUrlProblem(url, STRICT, 'public')).toBeUndefined();
  });
});

describe('a call', () => {
  it.each(['http://169.254.169.254/', 'http://[::ffff:169.254.169.254]/', 'http://[fe80::1]/'])(
    'to %s is refused before it connects',
    async (url) => {
      const error = await failure(strictHttp().call(request(url, { reach: 'any' })));
      expect(error).toMatchObject({ reason: 'configuration', away: false, retryable: false });
      expect(error.message).toContain('link-local');
    },
  );

  it('to a name that resolves to refused addresses alone is refused, whatever was checked when it was stored', async () => {
    const http = strictHttp(resolvingTo('169.254.169.254'));
    const error = await failure(http.call(request('http://rebound.example.org/', { reach: 'any' })));
    expect(error.reason).toBe('configuration');
    expect(error.message).toBe(
      'OPENAI at rebound.example.org resolves to a link-local address, which this server does not call',
    );
  });

  it('for a user is refused outside the public addresses, by name and by address', async () => {
    const standIn = await newStandIn();
    const http = strictHttp(resolvingTo('127.0.0.1', '::1', '10.0.0.1'));
    const names = [standIn.url, standIn.url.replace('127.0.0.1', 'rebound.example.org')];
    for (const url of names) {
      const error = await failure(http.call(request(`${url}/v1/embeddings`, { reach: 'public' })));
      expect(error).toMatchObject({ reason: 'configuration', away: false, retryable: false });
      expect(error.message).toMatch(/is not at a public address; .*--provider-allowed-networks lists them$/);
      await expect(
        http.stream(request(`${url}/v1/embeddings`, { reach: 'public' }), () => Promise.resolve()),
      ).rejects.toMatchObject({ reason: 'configuration' });
    }
    expect(standIn.connections).toBe(0);
  });

  it('for a user never reuses a connection of an administrator', async () => {
    const standIn = await newStandIn();
    const http = strictHttp();
    const url = `${standIn.url}/v1/embeddings`;
    expect((await http.call(request(url, { reach: 'any' }))).status).toBe(200);
    expect((await failure(http.call(request(url, { reach: 'public' })))).reason).toBe('configuration');
    expect((await http.call(request(url, { reach: 'any' }))).status).toBe(200);
    expect(standIn.requests).toHaveLength(2);
  });

  it.each(['any', 'public'] as const)('with the policy %s uses the other addresses of a name', async (reach) => {
    const standIn = await newStandIn();
    const http = newHttp(resolvingTo('fe80::1', '127.0.0.1'));
    const url = `${standIn.url.replace('127.0.0.1', 'models.lan')}/v1/embeddings`;
    expect((await http.call(request(url, { reach }))).status).toBe(200);
  });
});
