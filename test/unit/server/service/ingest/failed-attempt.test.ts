import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { ProviderError } from '../../../../../src/server/providers/errors.ts';
import {
  AttemptInterrupted,
  CircuitOpen,
  failedAttempt,
} from '../../../../../src/server/service/ingest/failed-attempt.ts';
import { TransientDatabaseError, translateError } from '../../../../../src/server/store/errors.ts';
import type { ClaimedJob } from '../../../../../src/server/store/jobs.ts';
import { ExtractionError, WorkerTimeout } from '../../../../../src/server/workers/errors.ts';
import { ServiceError } from '../../../../../src/shared/errors.ts';

const NOW = 1_800_000_000_000;

function job(over: Partial<ClaimedJob> = {}): ClaimedJob {
  return {
    jobId: 1,
    attemptId: 1,
    ownerId: 'o',
    spaceId: 's',
    memoryId: 'm',
    attempts: 1,
    maxAttempts: 5,
    jobType: 'document_processor',
    isExhausted: false,
    unavailableSince: null,
    unavailableAttempts: 0,
    giveUpAfterMinutes: 60,
    leaseToken: 't',
    ...over,
  };
}

const passing = new ServiceError('UNAVAILABLE', 'not now');
const unavailable = new ProviderError('unavailable', 'refused', { away: true });

describe('backoff between attempts', () => {
  test.each([
    [1, 1000],
    [2, 10_000],
    [3, 60_000],
    [4, 600_000],
  ])('after attempt %i it is %i ms, a fifth more or less', (attempts, wait) => {
    const delay = (random: number) => failedAttempt(job({ attempts }), passing, NOW, random).delayMs;
    expect([delay(0), delay(0.5), delay(1)]).toEqual([wait * 0.8, wait, wait * 1.2]);
    expect(failedAttempt(job({ attempts }), passing, NOW, 0.5)).toMatchObject({ status: 'PENDING', attempts });
  });

  test('the fifth attempt is the last', () => {
    expect(failedAttempt(job({ attempts: 5 }), passing, NOW, 0.5)).toMatchObject({ status: 'FAILED', attempts: 5 });
  });
});

describe('a provider that is unavailable', () => {
  test.each([
    [0, 1000],
    [1, 10_000],
    [2, 60_000],
    [3, 600_000],
    [4, 600_000],
    [140, 600_000],
  ])('uses up no attempt; failure %i after the first waits %i ms', (unavailableAttempts, delayMs) => {
    const unavailableSince = unavailableAttempts === 0 ? null : NOW - 1000;
    expect(
      failedAttempt(job({ attempts: 3, unavailableAttempts, unavailableSince }), unavailable, NOW, 0.5),
    ).toMatchObject({
      status: 'PENDING',
      attempts: 2,
      isUnavailable: true,
      unavailableAttempts: unavailableAttempts + 1,
      delayMs,
    });
  });

  test('may request a longer wait, within giveUpAfterMinutes', () => {
    const ask = (retryAfterMs: number, over: Partial<ClaimedJob> = {}) => {
      const error = new ProviderError('rate_limited', 'busy', { retryAfterMs });
      return failedAttempt(job(over), error, NOW, 0.5);
    };
    expect(ask(30_000)).toMatchObject({ status: 'PENDING', delayMs: 30_000 });
    expect(ask(3_600_000)).toMatchObject({ status: 'PENDING', delayMs: 3_600_000 });
    expect(ask(3_600_001)).toMatchObject({ status: 'FAILED', delayMs: 0, attempts: 0 });
    const halfWay = { unavailableSince: NOW - 1_800_000, unavailableAttempts: 4 };
    expect(ask(1_800_000, halfWay)).toMatchObject({ status: 'PENDING', delayMs: 1_800_000 });
    expect(ask(1_800_001, halfWay).status).toBe('FAILED');
    expect(ask(14 * 86_400_000).errorMessage).toBe(
      'busy. The provider asks to wait for 14 days, longer than what is left of the 60 minutes that the space waits (giveUpAfterMinutes)',
    );
  });

  test('is tried a last time when giveUpAfterMinutes ends, and then FAILED', () => {
    const at = (unavailableMs: number, giveUpAfterMinutes: number) => {
      const since = { unavailableSince: NOW - unavailableMs, unavailableAttempts: 9, giveUpAfterMinutes };
      return failedAttempt(job(since), unavailable, NOW, 0.5);
    };
    expect(at(30_000, 1)).toMatchObject({ status: 'PENDING', delayMs: 30_000 });
    expect(at(86_400_000 - 1, 1440)).toMatchObject({ status: 'PENDING', delayMs: 1 });
    expect(at(86_400_000, 1440)).toMatchObject({ status: 'FAILED', delayMs: 0, attempts: 0 });
    expect(at(60_000, 1).errorMessage).toBe(
      'refused. The provider was still unavailable after the 1 minute that the space waits (giveUpAfterMinutes)',
    );
  });

  test('restarts its timeout after a failure of another kind', () => {
    const other = failedAttempt(
      job({ attempts: 2, unavailableSince: NOW - 1000, unavailableAttempts: 4 }),
      passing,
      NOW,
      0.5,
    );
    expect(other).toMatchObject({ isUnavailable: false, unavailableAttempts: 0, attempts: 2 });
  });
});

describe('a provider that is unavailable for another job', () => {
  const until = NOW + 30_000;
  const circuitOpen = new CircuitOpen(unavailable, until);
  const halfOver = { unavailableSince: NOW - 30_000, unavailableAttempts: 9, giveUpAfterMinutes: 1 };

  test('is waited for until its circuit half-opens, however long storing that takes', () => {
    const at = (nowMs: number) => failedAttempt(job(halfOver), circuitOpen, nowMs, 0.5);
    expect(at(NOW)).toMatchObject({ status: 'PENDING', delayMs: 30_000, attempts: 0 });
    expect(at(NOW + 10_000)).toMatchObject({ status: 'PENDING', delayMs: 20_000 });
    expect(at(until)).toMatchObject({ status: 'PENDING', delayMs: 0 });
    expect(at(until + 60_000)).toMatchObject({ status: 'PENDING', delayMs: 0 });
  });

  test('is not waited for beyond giveUpAfterMinutes', () => {
    const late = new CircuitOpen(unavailable, NOW + 86_400_000);
    expect(failedAttempt(job(halfOver), late, NOW, 0.5)).toMatchObject({ status: 'PENDING', delayMs: 30_000 });
  });

  test('and for this job after that ends the waiting', () => {
    expect(failedAttempt(job(halfOver), unavailable, until, 0.5)).toMatchObject({ status: 'FAILED', attempts: 0 });
  });
});

describe('a slow or unavailable database', () => {
  const trouble = new TransientDatabaseError('slow', 'DEADLINE_EXCEEDED', 'The database did not answer in time');

  test('uses up no attempt, for giveUpAfterMinutes', () => {
    const failed = failedAttempt(job({ attempts: 5 }), trouble, NOW, 0.5);
    expect(failed).toMatchObject({
      status: 'PENDING',
      attempts: 4,
      isUnavailable: true,
      unavailableAttempts: 1,
      delayMs: 1000,
    });
    expect(failed.statusMessage).toBe('The database was too slow; not counted as an attempt');
    const over = { unavailableSince: NOW - 3_600_000, unavailableAttempts: 9 };
    expect(failedAttempt(job(over), trouble, NOW, 0.5)).toMatchObject({
      status: 'FAILED',
      attempts: 0,
      errorMessage: expect.stringMatching(/in time\. The database was still too slow after the 60 minutes/),
    });
  });

  test.each([
    ['57014', 'The database was too slow'],
    ['53300', 'The database was short of connections, memory or disk space'],
    ['55P03', 'The write was in conflict with another one'],
    ['40P01', 'The write was in conflict with another one'],
    ['40001', 'The write was in conflict with another one'],
    ['40003', 'The database was unavailable'],
    ['08006', 'The database was unavailable'],
  ])('is what SQLSTATE %s means, in its own words', (code, words) => {
    const error = translateError(Object.assign(new pg.DatabaseError('x', 1, 'error'), { code }));
    expect(failedAttempt(job({ attempts: 5 }), error, NOW, 0.5)).toMatchObject({
      status: 'PENDING',
      statusMessage: `${words}; not counted as an attempt`,
    });
    const over = { unavailableSince: NOW - 3_600_000, unavailableAttempts: 9 };
    expect(failedAttempt(job(over), error, NOW, 0.5).errorMessage).toContain(
      `${words.replace('was', 'was still')} after the 60 minutes that the space waits`,
    );
  });

  test('is not inferred from a refused statement', () => {
    const refused = translateError(Object.assign(new pg.DatabaseError('x', 1, 'error'), { code: '22003' }));
    expect(failedAttempt(job({ attempts: 5 }), refused, NOW, 0.5)).toMatchObject({ status: 'FAILED', attempts: 5 });
  });
});

describe('permanent errors', () => {
  test.each<[string, Error]>([
    ['content', new ExtractionError('Unsupported content type: a/b')],
    ['a task that takes too long', new WorkerTimeout('prepare', 1000)],
    ['a refused input', new ProviderError('rejected', 'too long')],
    ['a provider that this build does not have', new ServiceError('UNIMPLEMENTED', 'no ONNX')],
  ])('%s', (_, error) => {
    expect(failedAttempt(job(), error, NOW, 0.5)).toMatchObject({
      status: 'FAILED',
      attempts: 1,
      errorMessage: error.message,
    });
  });
});

test('a server that stops uses up no attempt and keeps the state of the provider', () => {
  const failed = failedAttempt(
    job({ attempts: 3, unavailableSince: NOW, unavailableAttempts: 2 }),
    new AttemptInterrupted(),
    NOW,
    0.5,
  );
  expect(failed).toMatchObject({
    status: 'PENDING',
    delayMs: 0,
    attempts: 2,
    isUnavailable: true,
    unavailableAttempts: 2,
  });
  expect(failed.errorMessage).toBeNull();
});

test('the stack names the causes and has no NUL character', () => {
  const error = new Error('outer\0', { cause: new Error('inner') });
  const { errorMessage, errorStacktrace } = failedAttempt(job(), error, NOW, 0.5);
  expect(errorMessage).toBe('outer');
  expect(errorStacktrace).toMatch(/outer[\s\S]*caused by: Error: inner/);
  expect(errorStacktrace).not.toContain('\0');
});
