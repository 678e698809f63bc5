import { isIP } from 'node:net';
import type { RateWindow } from '../../store/rate-limits.ts';

/** Whose requests are counted together. */
export type Subject = string;

export function keySubject(apiKeyId: string): Subject {
  return `key:${apiKeyId}`;
}

export function isKeySubject(subject: Subject): boolean {
  return subject.startsWith('key:');
}

/**
 * A remote address. A client with an IPv6 address usually has 2^64 of them, so its network counts; an IPv4-mapped IPv6
 * address counts as the IPv4 address; all peers without an address, such as on a UNIX socket, count as one.
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

/** The requests of one subject in the current window. */
export interface Bucket {
  subject: Subject;
  /** The count of all servers, as last read from the database. */
  shared: number;
  /** Accepted here and not yet written to the database. */
  pending: number;
  /** Being written to the database. */
  sending: number;
  /** Whether the database was asked once, with or without an answer. */
  isKnown: boolean;
  /** Local epoch milliseconds of the last request. */
  usedAt: number;
}

/** Further addresses in a window share one bucket, so that the memory is bounded. */
const MAX_ADDRESSES = 50_000;
const OTHER_ADDRESSES = 'address:others';

/** The buckets of one window. */
export class Buckets {
  readonly window: RateWindow;
  readonly #bySubject = new Map<Subject, Bucket>();
  #addresses = 0;

  constructor(window: RateWindow) {
    this.window = window;
  }

  find(subject: Subject): Bucket | undefined {
    return this.#bySubject.get(subject) ?? (this.#isFull(subject) ? this.#bySubject.get(OTHER_ADDRESSES) : undefined);
  }

  get(subject: Subject): Bucket {
    const known = this.find(subject);
    if (known !== undefined) return known;
    const name = this.#isFull(subject) ? OTHER_ADDRESSES : subject;
    if (isAddress(subject)) this.#addresses += 1;
    const bucket: Bucket = { subject: name, shared: 0, pending: 0, sending: 0, isKnown: false, usedAt: 0 };
    this.#bySubject.set(name, bucket);
    return bucket;
  }

  /** Only addresses are bounded: a client can have any number of them, while the number of keys is limited. */
  #isFull(subject: Subject): boolean {
    return isAddress(subject) && this.#addresses >= MAX_ADDRESSES;
  }
}

function isAddress(subject: Subject): boolean {
  return subject.startsWith('address:');
}

export function requestsOf({ shared, sending, pending }: Bucket): number {
  return shared + sending + pending;
}
