import type { RateWindow } from '../../store/rate-limits.ts';
import type { Subject } from './subject.ts';

/** The requests of one subject in the present window. */
export interface Bucket {
  subject: Subject;
  /** Of all servers, as the database told it last. */
  shared: number;
  /** Accepted here and not told to the database yet. */
  pending: number;
  /** On the way to the database. */
  sending: number;
  /** Whether the database was asked once, with or without an answer. */
  isKnown: boolean;
  /** Local epoch milliseconds of the last request. */
  usedAt: number;
}

/** Strangers beyond so many addresses in a window share one bucket: memory stays bounded whoever comes. */
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

  /** The keys that act are as many as exist; addresses are as many as somebody likes. */
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
