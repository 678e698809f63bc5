import { describe, expect, it } from 'vitest';
import { ProviderError } from '../../../../src/server/providers/errors.ts';
import { parseRetryAfter, type RetryOptions, withRetries } from '../../../../src/server/providers/retry.ts';

/** Runs `fail` on every try under a clock that only records the waits. */
async function run(fail: (attempt: number) => ProviderError | undefined, options: Partial<RetryOptions> = {}) {
  const waits: number[] = [];
  let tries = 0;
  const result = withRetries(
    async (attempt) => {
      tries++;
      const error = fail(attempt);
      if (error !== undefined) throw error;
      return 'done';
    },
    {
      signal: new AbortController().signal,
      attempts: 4,
      random: () => 0.5,
      sleep: async (ms) => void waits.push(ms),
      ...options,
    },
  );
  const outcome = await result.catch((error: unknown) => error);
  return { outcome, waits, tries };
}

const busy = (retryAfterMs?: number) =>
  new ProviderError('rate_limited', 'busy', {
    httpStatus: 429,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

describe('withRetries', () => {
  it('backs off exponentially, with full jitter, up to the cap', async () => {
    const { outcome, waits, tries } = await run(() => busy(), { attempts: 6, baseMs: 100, capMs: 500 });
    expect(outcome).toMatchObject({ reason: 'rate_limited' });
    expect(tries).toBe(6);
    expect(waits).toEqual([50, 100, 200, 250, 250]);
  });

  it('ends with the first success', async () => {
    const { outcome, tries } = await run((attempt) => (attempt < 3 ? busy() : undefined));
    expect(outcome).toBe('done');
    expect(tries).toBe(3);
  });

  it.each(['unavailable', 'rate_limited', 'server_error'] as const)('repeats after %s', async (reason) => {
    expect((await run(() => new ProviderError(reason, 'x'))).tries).toBe(4);
  });

  it.each(['timeout', 'configuration', 'invalid_response', 'rejected'] as const)(
    'does not repeat %s',
    async (reason) => {
      expect((await run(() => new ProviderError(reason, 'x'))).tries).toBe(1);
    },
  );

  it('does not repeat an error that is not the provider’s', async () => {
    const tries: number[] = [];
    const call = withRetries(
      async (attempt) => {
        tries.push(attempt);
        throw new TypeError('bug');
      },
      { signal: new AbortController().signal, attempts: 3 },
    );
    await expect(call).rejects.toThrow('bug');
    expect(tries).toEqual([1]);
  });

  it('never retries before Retry-After', async () => {
    const { waits } = await run(() => busy(2000), { attempts: 3, random: () => 0 });
    expect(waits).toEqual([2000, 2000]);
  });

  it('leaves a wait beyond the cap to the caller', async () => {
    const { outcome, tries, waits } = await run(() => busy(60_000), { capMs: 8000 });
    expect(outcome).toMatchObject({ retryAfterMs: 60_000 });
    expect(tries).toBe(1);
    expect(waits).toEqual([]);
  });

  it('does not wait past the deadline', async () => {
    const { tries } = await run(() => busy(5000), { deadlineMs: Date.now() + 1000 });
    expect(tries).toBe(1);
  });

  it('stops waiting with the signal', async () => {
    const controller = new AbortController();
    const reason = new Error('left');
    const call = withRetries(
      async () => {
        setImmediate(() => controller.abort(reason));
        throw busy(8000);
      },
      { signal: controller.signal, attempts: 3 },
    );
    await expect(call).rejects.toBe(reason);
  });
});

describe('parseRetryAfter', () => {
  const now = Date.parse('Fri, 20 Nov 2026 12:00:00 GMT');

  it.each([
    ['0', 0],
    ['7', 7000],
    [' 7 ', 7000],
    ['0.5', 500],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
  ])('%j is %d ms', (text, expected) => {
    expect(parseRetryAfter(text, now)).toBe(expected);
  });

  it.each([undefined, '', 'soon', '-5', '2026-11-20', '99999999999999'])('%j is no delay', (text) => {
    expect(parseRetryAfter(text, now)).toBeUndefined();
  });
});

describe('ProviderError', () => {
  it('counts 429 and 503 as unavailable, other answers not', () => {
    const away = (reason: 'unavailable' | 'rate_limited' | 'server_error', httpStatus: number) =>
      new ProviderError(reason, 'x', { httpStatus }).away;
    expect(away('rate_limited', 429)).toBe(true);
    expect(away('unavailable', 503)).toBe(true);
    expect(away('server_error', 502)).toBe(false);
  });

  it('is permanent only when the same request can never succeed', () => {
    expect(new ProviderError('rejected', 'x').permanent).toBe(true);
    expect(new ProviderError('configuration', 'x').permanent).toBe(false);
  });
});
