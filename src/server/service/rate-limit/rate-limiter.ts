import { ServiceError } from '../../../shared/errors.ts';
import { type Bucket, Buckets, requestsOf, type Subject } from './buckets.ts';
import { CountExchange, type SharedCounts } from './count-exchange.ts';
import { WindowClock } from './window-clock.ts';

export interface RateLimits {
  /** Requests per window and subject; 0 switches the limit off. */
  max: number;
  windowSeconds: number;
}

/** Below this age of a window the database is not read: what other servers have counted is within the accuracy. */
const ACCURACY_MS = 1000;

/**
 * Counts requests in windows that begin at multiples of their length. It decides by its own counts, and shares them
 * through the database where several servers use one: what is counted here is known everywhere within a second, and no
 * request but the first of a subject in a window waits for the database.
 */
export class RateLimiter {
  #limits: RateLimits;
  readonly #clock: WindowClock;
  #buckets: Buckets;
  #exchange: CountExchange | undefined;

  /** `now` tells epoch milliseconds. */
  constructor(limits: RateLimits, now: () => number = Date.now) {
    this.#limits = limits;
    this.#clock = new WindowClock(now);
    this.#buckets = new Buckets(this.#clock.window(limits.windowSeconds));
  }

  get limits(): Readonly<RateLimits> {
    return this.#limits;
  }

  /** Sets other limits. The counters restart, those of the servers on the same database too. */
  configure(limits: RateLimits): void {
    this.#limits = limits;
    this.#buckets = new Buckets(this.#clock.window(limits.windowSeconds));
    this.#exchange?.restart();
  }

  /** Shares the counts from now on; the returned function writes the last of them and ends that. */
  share(counts: SharedCounts): () => Promise<void> {
    const exchange = new CountExchange(counts, this.#clock);
    this.#exchange = exchange;
    return async () => {
      this.#exchange = undefined;
      await exchange.close();
    };
  }

  /** Counts one request, unless it is beyond the limit. Undefined when there is no limit. */
  async take(subject: Subject, signal?: AbortSignal): Promise<RateStanding | undefined> {
    if (this.#limits.max === 0) return undefined;
    let bucket = this.#touched(subject);
    if (!bucket.isKnown && this.#exchange !== undefined && this.#age() > ACCURACY_MS) {
      await this.#exchange.ask(this.#buckets.window, bucket, signal);
      // Answered or not: no request waits a second time.
      bucket.isKnown = true;
      bucket = this.#touched(subject);
    }
    const isAllowed = requestsOf(bucket) < this.#limits.max;
    if (isAllowed) bucket.pending += 1;
    this.#exchange?.tell(this.#buckets.window, bucket);
    return this.#standing(bucket, isAllowed);
  }

  /** Where a subject stands, without counting anything. Undefined when there is no limit. */
  peek(subject: Subject): RateStanding | undefined {
    if (this.#limits.max === 0) return undefined;
    return this.#standing(this.#present().find(subject), true);
  }

  #touched(subject: Subject): Bucket {
    const bucket = this.#present().get(subject);
    bucket.usedAt = this.#clock.local();
    return bucket;
  }

  #present(): Buckets {
    const window = this.#clock.window(this.#limits.windowSeconds);
    if (window.endsAt !== this.#buckets.window.endsAt) this.#buckets = new Buckets(window);
    return this.#buckets;
  }

  /** Milliseconds since the window began. */
  #age(): number {
    const { endsAt, seconds } = this.#buckets.window;
    return this.#clock.now(seconds) - (endsAt - seconds) * 1000;
  }

  #standing(bucket: Bucket | undefined, isAllowed: boolean): RateStanding {
    const { max, windowSeconds } = this.#limits;
    const { endsAt } = this.#buckets.window;
    return {
      limit: max,
      remaining: Math.max(0, max - (bucket === undefined ? 0 : requestsOf(bucket))),
      resetsAt: endsAt,
      windowSeconds,
      isAllowed,
      retryAfterSeconds: Math.max(1, Math.ceil(endsAt - this.#clock.now(windowSeconds) / 1000)),
    };
  }
}

/** The rate limit of a subject in the current window. */
export interface RateStanding {
  /** Requests per window. */
  limit: number;
  remaining: number;
  /** Unix seconds. */
  resetsAt: number;
  windowSeconds: number;
  /** False when the request that asked is beyond the limit. */
  isAllowed: boolean;
  /** Whole seconds until the window ends, at least 1. */
  retryAfterSeconds: number;
}

export function beyondLimit({ limit, windowSeconds, retryAfterSeconds }: RateStanding): ServiceError {
  return new ServiceError('RESOURCE_EXHAUSTED', 'Too many requests', {
    details: `limit ${limit} per ${windowSeconds} s; retry after ${retryAfterSeconds} s`,
    retryAfterSeconds,
  });
}
