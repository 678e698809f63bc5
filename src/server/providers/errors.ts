/**
 * Why a call to a provider failed:
 * - `unavailable`: no connection, or 503
 * - `rate_limited`: 429, and 402
 * - `timeout`: no complete answer in time
 * - `configuration`: the record cannot work as it is (401, 403, 404, redirect, certificate, credential, refused address)
 * - `invalid_response`: malformed, cut short, too large, wrong number or length of vectors, not a number
 * - `rejected`: another 4xx; a repeat of the same request cannot succeed
 * - `server_error`: another 5xx
 */
export type ProviderErrorReason =
  | 'unavailable'
  | 'rate_limited'
  | 'timeout'
  | 'configuration'
  | 'invalid_response'
  | 'rejected'
  | 'server_error';

interface ProviderErrorOptions {
  /** Status of the provider's answer; left out when none came. */
  httpStatus?: number;
  /** The wait that the provider asked for, in milliseconds. */
  retryAfterMs?: number;
  /**
   * The provider is unavailable or throttles: the failure does not use up an attempt of a job. Default: by the reason.
   */
  away?: boolean;
  /** Of `rate_limited`: a quota or a balance is used up, which does not pass by itself. Default false. */
  spent?: boolean;
  /** Of `unavailable`: there was a connection, and it broke. Default false. */
  connected?: boolean;
  /** Of `rejected`: the request is larger than the provider takes; parts of it may pass. Default false. */
  oversized?: boolean;
  /** An immediate repeat of the same call may succeed. Default: by the reason. */
  retryable?: boolean;
  cause?: unknown;
}

const RETRYABLE: ReadonlySet<ProviderErrorReason> = new Set(['unavailable', 'rate_limited', 'server_error']);

/**
 * A failed call to a provider. The message is a sentence for the caller that names the provider, its host and the
 * status, and never holds a secret. It is not a `ServiceError`, because the same failure is a stream's status, a job's
 * attempt or a probe's result; the rules decide.
 */
export class ProviderError extends Error {
  readonly reason: ProviderErrorReason;
  readonly httpStatus: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** A refused connection, 429 or 503. */
  readonly away: boolean;
  /** Of `rate_limited`: a quota or a balance is used up, not only a rate exceeded. */
  readonly spent: boolean;
  /** Of `unavailable`: there was a connection, and it broke. */
  readonly connected: boolean;
  /** Of `rejected`: the provider refused the request for its size. */
  readonly oversized: boolean;
  readonly retryable: boolean;

  constructor(reason: ProviderErrorReason, message: string, options: ProviderErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ProviderError';
    this.reason = reason;
    this.httpStatus = options.httpStatus;
    this.retryAfterMs = options.retryAfterMs;
    this.away = options.away ?? (reason === 'rate_limited' || options.httpStatus === 503);
    this.spent = options.spent ?? false;
    this.connected = options.connected ?? false;
    this.oversized = options.oversized ?? false;
    this.retryable = options.retryable ?? RETRYABLE.has(reason);
  }

  /**
   * No repeat of the same work can succeed, however late. A `configuration` failure is not permanent: a key that is
   * being rotated or a path that is being corrected may be right at the next attempt of a job.
   */
  get permanent(): boolean {
    return this.reason === 'rejected';
  }
}

/** An answer of another shape than the protocol's. The message completes "… answered with ". */
export class MalformedAnswer extends Error {
  constructor(problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.name = 'MalformedAnswer';
  }
}
