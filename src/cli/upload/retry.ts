import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../shared/errors.ts';

const MOST_TRIES = 6;
const LONGEST_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 500;

/**
 * Repeats a call that the server refused before it did anything: rate limits and UNAVAILABLE. Waits as long as the server
 * says, else twice as long each time, and never more than a minute; gives up with the error after six tries.
 */
export async function withRetries<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!isRepeatable(error) || attempt === MOST_TRIES) throw error;
      const own = FIRST_WAIT_MS * 2 ** (attempt - 1);
      const wanted = error.retryAfterSeconds === undefined ? own : error.retryAfterSeconds * 1000;
      await sleep(Math.min(wanted, LONGEST_WAIT_MS), undefined, { signal });
    }
  }
}

/** A RESOURCE_EXHAUSTED without a time to wait is a limit that a repeat cannot pass. */
function isRepeatable(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false;
  if (error.code === 'UNAVAILABLE') return true;
  return error.code === 'RESOURCE_EXHAUSTED' && error.retryAfterSeconds !== undefined;
}
