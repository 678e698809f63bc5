import { BlockList, isIP } from 'node:net';

/**
 * Link-local addresses reach the metadata service of a cloud machine, which hands out credentials to whoever asks.
 * The IPv4 range is listed again as IPv6 writes it: mapped, and behind the well-known NAT64 prefix.
 */
const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');
LINK_LOCAL.addSubnet('::ffff:a9fe:0', 112, 'ipv6');
LINK_LOCAL.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');

/** True for an IPv4 or IPv6 literal (brackets and a zone allowed) in a link-local range; false for names. */
export function isLinkLocal(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const family = isIP(address);
  return family !== 0 && LINK_LOCAL.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

export interface AllowedUrlOptions {
  allowLinkLocal: boolean;
}

/**
 * What is wrong with the address of a provider, as the problem of an INVALID_ARGUMENT violation; undefined when it may
 * be stored. Names are not resolved here: what they resolve to is checked at connect time.
 */
export function endpointUrlProblem(url: string, options: AllowedUrlOptions): string | undefined {
  if (!URL.canParse(url)) return 'must be an http or https URL';
  const parsed = new URL(url);
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return 'must be an http or https URL';
  if (parsed.username !== '' || parsed.password !== '') return 'must not hold a user name or password; use credentials';
  if (parsed.hash !== '') return 'must not hold a fragment';
  if (!options.allowLinkLocal && isLinkLocal(parsed.hostname)) return 'must not be a link-local address';
  return undefined;
}
