import { sleep } from '../../shared/async/timer.ts';
import { ProviderError } from './errors.ts';

export interface RetryOptions {
  signal: AbortSignal;
  /** Tries in all, at least 1. */
  attempts: number;
  /** Epoch milliseconds after which no wait may end. */
  deadlineMs?: number;
  /** Asked after a failure: false where the try has had an effect that a repeat would double. */
  mayRepeat?: () => boolean;
  /** Top of the first wait in milliseconds; doubles with each. Default 250. */
  baseMs?: number;
  /** Top of any wait in milliseconds. Default 8,000. */
  capMs?: number;
  /** A number in [0, 1); default `Math.random`. */
  random?: () => number;
  /** Resolves after the wait or rejects with the signal's reason. Default: a timer. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Repeats a call after retryable `ProviderError`s, with exponential back-off and full jitter (callers that failed
 * together must not come back together). A wait that the provider asks for is kept in full; when it is longer than the
 * cap or would end after the deadline, the error is thrown at once, so that the caller can wait without holding the
 * call.
 */
export async function withRetries<T>(run: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const wait = options.sleep ?? sleep;
  for (let attempt = 1; ; attempt++) {
    options.signal.throwIfAborted();
    try {
      return await run(attempt);
    } catch (error) {
      if (!(error instanceof ProviderError) || !error.retryable || attempt >= options.attempts) throw error;
      if (options.mayRepeat?.() === false) throw error;
      const waitMs = nextWait(attempt, error.retryAfterMs, options);
      if (waitMs === undefined) throw error;
      await wait(waitMs, options.signal);
    }
  }
}

function nextWait(attempt: number, retryAfterMs: number | undefined, options: RetryOptions): number | undefined {
  const cap = options.capMs ?? 8_000;
  const top = Math.min(cap, (options.baseMs ?? 250) * 2 ** (attempt - 1));
  const jitter = (options.random ?? Math.random)() * top;
  const wait = retryAfterMs === undefined ? jitter : retryAfterMs + Math.min(jitter, cap / 10);
  if (retryAfterMs !== undefined && retryAfterMs > cap) return undefined;
  if (options.deadlineMs !== undefined && Date.now() + wait >= options.deadlineMs) return undefined;
  return wait;
}

/** Milliseconds of a `Retry-After` header (whole seconds or an HTTP date), undefined when it is absent or unreadable. */
export function parseRetryAfter(value: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(value) ? value[0] : value)?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  // Date.parse reads "-5" as a year: a date starts with the name of its weekday.
  const at = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
