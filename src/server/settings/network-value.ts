import { isIP } from 'node:net';
import { scalar, type ValueType } from './value-type.ts';

/** A DNS label as it occurs in practice; underscores are used in container networks. */
const LABEL = /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;

/** What keeps `item` from being a bare host name or IP address; undefined when it is one. */
export function hostProblem(item: string): string | undefined {
  const quoted = JSON.stringify(item);
  if (item.includes('://')) return `${quoted} has a scheme`;
  if (item.includes('%')) return `${quoted} has a zone`;
  if (isIP(item) !== 0) return undefined;
  if (/^\[.*\]$/.test(item)) return `${quoted} has brackets; IPv6 addresses are written without them`;
  if (/:\d+$/.test(item)) return `${quoted} has a port`;
  const labels = item.split('.');
  const isName = item.length <= 253 && labels.every((label) => LABEL.test(label));
  // A name whose last label is all digits can only be a mistyped IPv4 address such as 127.0.0.256.
  if (isName && !/^\d+$/.test(labels.at(-1) ?? '')) return undefined;
  return `${quoted} is not a host name or IP address`;
}

/** The canonical form of a host: an IPv6 address in its short form, an IPv4-mapped one as IPv4. */
export function canonicalHost(item: string): string {
  if (isIP(item) !== 6) return item;
  // The URL parser writes every IPv6 address in one way, without the dots of an IPv4 one.
  const address = new URL(`http://[${item}]/`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  const octets = [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
  return octets.join('.');
}

export const host: ValueType<string> = scalar({
  placeholder: '<host>',
  parse: (text) => {
    const problem = hostProblem(text.trim());
    return problem === undefined ? { value: canonicalHost(text.trim()) } : { problem };
  },
});

/** What keeps `item` from being a web origin as browsers send it in `Origin`; undefined when it is one. */
export function originProblem(item: string): string | undefined {
  const quoted = JSON.stringify(item);
  if (!URL.canParse(item)) return `${quoted} is not an origin such as https://app.example.com`;
  const url = new URL(item);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `${quoted} is not an http or https origin`;
  if (url.origin !== item) return `${quoted} is not a bare origin; write it as ${url.origin}`;
  return undefined;
}

/**
 * What keeps `item` from being a network in CIDR form, written with its first address; undefined when it is one. A bit
 * set beyond the prefix is a mistake that may allow more than was meant.
 */
export function networkProblem(item: string): string | undefined {
  const quoted = JSON.stringify(item);
  const [address = '', length = '', ...more] = item.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || more.length > 0) {
    return `${quoted} is not a network such as 10.20.0.0/16 or fd12:3456::/32`;
  }
  const bits = version === 4 ? 32 : 128;
  if (!/^\d{1,3}$/.test(length) || Number(length) > bits) return `${quoted} needs a prefix length from 0 to ${bits}`;
  const hostBits = BigInt(bits - Number(length));
  if ((addressBits(address, version) & ((1n << hostBits) - 1n)) === 0n) return undefined;
  return `${quoted} is an address in a network and not the network itself`;
}

/** An IP address as a number. */
function addressBits(address: string, version: number): bigint {
  if (version === 4) return address.split('.').reduce((bits, octet) => (bits << 8n) | BigInt(octet), 0n);
  // The URL parser writes every IPv6 address in one way: groups of hexadecimal digits with at most one gap.
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groupsOf = (part: string | undefined) => (part === undefined || part === '' ? [] : part.split(':'));
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const gap = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...gap, ...after].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

/**
 * An http(s) address without credentials, query and fragment; a blank text switches the feature at that address off.
 */
export const httpAddressOrOff: ValueType<string | undefined> = scalar<string | undefined>({
  placeholder: '<url>',
  acceptsBlank: true,
  print: (value) => value ?? '',
  parse: (text) => {
    const address = text.trim();
    if (address === '') return { value: undefined };
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      return { problem: 'must be an address that begins with http:// or https://' };
    }
    if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
      return { problem: 'must not contain credentials, a query or a fragment' };
    }
    return { value: address.replace(/\/+$/, '') };
  },
});
