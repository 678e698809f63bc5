import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Where a target may be: `any` for those of administrators, `public` for those of users, who may not reach the
 * operator's own network.
 */
export type Reach = 'any' | 'public';

/** Why an address is not called. */
export type Refusal = 'link-local' | 'not public';

interface AddressRules {
  /** `--provider-allow-link-local` */
  allowLinkLocal: boolean;
  /** CIDR blocks that the reach `public` includes (`--provider-allowed-networks`); undefined: all there are. */
  allowedNetworks: readonly string[] | undefined;
}

/**
 * What the registries of IANA list as not globally reachable, and the one public address at which a cloud (Azure) serves
 * its machines: https://www.iana.org/assignments/iana-ipv4-special-registry.
 */
const NOT_PUBLIC_IPV4 = [
  '0.0.0.0/8', // this host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; Alibaba's metadata
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; Oracle's metadata
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '168.63.129.16/32',
];
/** Global unicast, and the two ranges in which IPv6 writes IPv4 addresses that stay what they are: mapped and NAT64. */
const GLOBAL_IPV6 = ['2000::/3', '::ffff:0:0/96', '64:ff9b::/96'];
const NOT_PUBLIC_IPV6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which leads to any IPv4 address
  '3fff::/20', // documentation
];
/** The metadata service of a cloud machine has such an address, and gives credentials to every client. */
const LINK_LOCAL_NETWORKS = ['169.254.0.0/16', 'fe80::/10'];

const LINK_LOCAL = blockList(LINK_LOCAL_NETWORKS);
const NOT_PUBLIC = blockList([...NOT_PUBLIC_IPV4, ...NOT_PUBLIC_IPV6]);
const GLOBAL = blockList(GLOBAL_IPV6);

/** Networks in CIDR form. One of IPv4 is listed again as IPv6 writes it: mapped, and behind the well-known NAT64 prefix. */
function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', length = ''] = network.split('/');
    if (isIP(address) === 6) {
      list.addSubnet(address, Number(length), 'ipv6');
      continue;
    }
    list.addSubnet(address, Number(length), 'ipv4');
    for (const prefix of ['::ffff:', '64:ff9b::']) list.addSubnet(prefix + address, 96 + Number(length), 'ipv6');
  }
  return list;
}

/** Which addresses this server calls. */
export class AddressPolicy {
  readonly #allowLinkLocal: boolean;
  readonly #allowed: BlockList | undefined;

  constructor({ allowLinkLocal, allowedNetworks }: AddressRules) {
    this.#allowLinkLocal = allowLinkLocal;
    this.#allowed = allowedNetworks === undefined ? undefined : blockList(allowedNetworks);
  }

  /**
   * Why a target of that reach may not be at this host, as far as the host itself tells: an IPv4 or IPv6 literal
   * (brackets and a zone allowed) or a name of this machine. Other names are not resolved here: undefined.
   */
  refusal(host: string, reach: Reach): Refusal | undefined {
    const bare = host.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
    const address = /^(.+\.)?localhost\.?$/i.test(bare) ? '127.0.0.1' : bare;
    const version = isIP(address);
    if (version === 0) return undefined;
    const family = version === 4 ? 'ipv4' : 'ipv6';
    if (!this.#allowLinkLocal && LINK_LOCAL.check(address, family)) return 'link-local';
    if (reach === 'any' || this.#allowed === undefined || this.#allowed.check(address, family)) return undefined;
    return isPublic(address, family) ? undefined : 'not public';
  }
}

/** A public address of this machine is not public here: calls from inside bypass the firewall in front of it. */
function isPublic(address: string, family: 'ipv4' | 'ipv6'): boolean {
  if (NOT_PUBLIC.check(address, family)) return false;
  if (family === 'ipv6' && !GLOBAL.check(address, family)) return false;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return !blockList(own.map(({ address: ip, family: of }) => `${ip}/${of === 'IPv4' ? 32 : 128}`)).check(
    address,
    family,
  );
}

/** What is wrong with an address that is refused, as the problem of an INVALID_ARGUMENT violation. */
const REFUSAL_PROBLEMS: Record<Refusal, string> = {
  'link-local': 'must not be a link-local address',
  'not public': 'must be a public address, or one in a network that the server allows (--provider-allowed-networks)',
};

/**
 * What is wrong with the address of a provider, as the problem of an INVALID_ARGUMENT violation; undefined when it may
 * be stored. Names are not resolved here: what they resolve to is checked at connect time.
 */
export function endpointUrlProblem(url: string, policy: AddressPolicy, reach: Reach): string | undefined {
  if (!URL.canParse(url)) return 'must be an http or https URL';
  const parsed = new URL(url);
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return 'must be an http or https URL';
  if (parsed.username !== '' || parsed.password !== '')
    return 'must not contain a user name or password; use credentials';
  if (parsed.hash !== '') return 'must not contain a fragment';
  const refusal = policy.refusal(parsed.hostname, reach);
  return refusal && REFUSAL_PROBLEMS[refusal];
}
