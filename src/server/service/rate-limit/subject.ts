import { isIP } from 'node:net';

/** Whose requests are counted together. */
export type Subject = string;

export function keySubject(apiKeyId: string): Subject {
  return `key:${apiKeyId}`;
}

export function isKeySubject(subject: Subject): boolean {
  return subject.startsWith('key:');
}

/**
 * A remote address. Whoever has an IPv6 address has 2^64 of them, so the network counts; an IPv4 address written as IPv6
 * is the IPv4 address; what has no address, such as a UNIX socket, counts as one.
 */
export function addressSubject(address: string | undefined): Subject {
  const bare = address?.replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '') ?? '';
  switch (isIP(bare)) {
    case 4:
      return `address:${bare}`;
    case 6:
      return `address:${networkOf(bare)}`;
    default:
      return 'address:local';
  }
}

/** The first 64 bits of an IPv6 address. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
