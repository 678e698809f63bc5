import { describe, expect, test } from 'vitest';
import {
  describeDatabaseSize,
  judgeCertificate,
  judgeClock,
  judgeDatabaseVersion,
  judgeExtension,
  judgeFreeSpace,
  judgeIndexes,
  judgeJobs,
} from '../../../../../../src/server/service/system/diagnosis/findings.ts';
import { buildFacts } from '../../../../../../src/server/version.ts';

const DAY_MS = 86_400_000;
const MIB = 1_048_576;
const facts = { version: '17.5', isStandby: false, vectorVersion: '0.8.2', vectorAvailable: '0.8.2', sizeBytes: 0 };

test('a standby is a failure', () => {
  expect(judgeDatabaseVersion(facts)).toEqual({ status: 'OK', message: 'PostgreSQL 17.5', remedy: '' });
  expect(judgeDatabaseVersion({ ...facts, isStandby: true })).toMatchObject({
    status: 'FAIL',
    remedy: expect.stringContaining('primary'),
  });
});

test('an old vector extension is reported, and a warning when a newer one is available', () => {
  expect(judgeExtension(facts, false)).toEqual({ status: 'OK', message: 'vector 0.8.2', remedy: '' });
  const old = { ...facts, vectorVersion: '0.8.0', vectorAvailable: '0.8.0' };
  expect(judgeExtension(old, false)).toMatchObject({ status: 'OK', message: expect.stringMatching(/serially.*CVE/) });
  expect(judgeExtension(old, true)).toMatchObject({ status: 'OK', message: 'vector 0.8.0' });
  expect(judgeExtension({ ...old, vectorAvailable: '0.8.2' }, false)).toMatchObject({
    status: 'WARN',
    remedy: expect.stringContaining('alter extension vector update'),
  });
});

describe('clock skew', () => {
  const at = 1_700_000_000_000;
  test.each([
    [0, 'OK'],
    [-1999, 'OK'],
    [2001, 'WARN'],
    [-59_000, 'WARN'],
    [61_000, 'FAIL'],
  ])('of %i ms is %s', (skew, status) => expect(judgeClock(at + skew, at, at)).toMatchObject({ status }));

  test('within the round trip is none', () => {
    expect(judgeClock(at, at, at + 10_000).status).toBe('OK');
    expect(judgeClock(at - 3000, at, at + 10_000)).toMatchObject({
      status: 'WARN',
      message: expect.stringContaining('3 s behind'),
    });
  });
});

describe('the certificate', () => {
  const now = Date.now();
  const expiring = (days: number, selfSigned = false) => ({ selfSigned, expiresAt: new Date(now + days * DAY_MS) });

  test.each([
    [90, 'OK', 'The certificate expires in 3 months'],
    [9, 'WARN', 'The certificate expires in 9 days'],
    [-2, 'FAIL', 'The certificate expired 2 days ago'],
  ])('of a file with %i days left', (days, status, message) => {
    expect(judgeCertificate(expiring(days), now)).toMatchObject({ status, message });
  });

  test('made by the server is replaced by a restart', () => {
    expect(judgeCertificate(expiring(9), now).remedy).toContain('--tls-cert-file');
    expect(judgeCertificate(expiring(9, true), now).remedy).toMatch(/^Restart the server: it then makes/);
  });

  test('is not required where TLS is off', () => {
    expect(judgeCertificate(undefined, now)).toEqual({ status: 'OK', message: 'TLS is off', remedy: '' });
  });
});

test.each([
  [10_000 * MIB, 'OK', '9.8 GiB'],
  [2000 * MIB, 'WARN', '2.0 GiB'],
  [255 * MIB, 'FAIL', '255 MiB'],
])('%i free bytes are %s', (bytes, status, size) => {
  expect(judgeFreeSpace(bytes, '/data')).toMatchObject({ status, message: expect.stringContaining(size) });
});

test('of an external database only the size is known', () => {
  expect(describeDatabaseSize(12 * MIB)).toMatchObject({ status: 'OK', message: expect.stringContaining('12 MiB') });
});

test('jobs that were lost are a failure, a long wait is a warning', () => {
  const none = { failed: 0, failureReason: null, failedAlike: 0 };
  const well = { status: 'OK', message: 'No job is stuck', remedy: '' };
  expect(judgeJobs({ stuck: 0, waitingMs: 60_000, ...none })).toEqual(well);
  expect(judgeJobs({ stuck: 0, waitingMs: 1_200_000, ...none })).toMatchObject({
    status: 'WARN',
    message: expect.stringContaining('20 minutes'),
  });
  expect(judgeJobs({ stuck: 2, waitingMs: 0, ...none })).toMatchObject({ status: 'FAIL' });
});

describe('memories that have FAILED', () => {
  const some = { failed: 12, failureReason: 'TEI at e:1 answered 401', failedAlike: 9 };
  const counted = '12 memories have FAILED in the last 24 hours, 9 of them with: TEI at e:1 answered 401';

  test('are a warning that says how many they are and why most of them did', () => {
    const found = judgeJobs({ stuck: 0, waitingMs: 0, ...some });
    expect(found).toMatchObject({ status: 'WARN', message: `No job is stuck; ${counted}` });
    expect(found.remedy).toContain('svc memories reprocess ID');
    const one = judgeJobs({ stuck: 0, waitingMs: 0, failed: 1, failureReason: 'x'.repeat(400), failedAlike: 1 });
    expect(one.message).toBe(`No job is stuck; 1 memory has FAILED in the last 24 hours, with: ${'x'.repeat(300)}`);
  });

  test('are reported beside worse findings', () => {
    const waiting = judgeJobs({ stuck: 0, waitingMs: 1_200_000, ...some });
    expect(waiting.message).toMatch(/waited for 20 minutes; 12 memories/);
    const stuck = judgeJobs({ stuck: 1, waitingMs: 0, ...some });
    expect(stuck).toMatchObject({ status: 'FAIL', message: expect.stringContaining(`minutes; ${counted}`) });
  });
});

test('invalid build facts are left out', () => {
  expect(buildFacts('{}')).toEqual({ dirty: false });
  expect(buildFacts('[]')).toEqual({ dirty: false });
  expect(buildFacts('{"dirty":true,"gitCommit":"3f9c2d1","gitDescribe":7,"buildTime":"2026-03-01T08:00:00Z"}')).toEqual(
    {
      dirty: true,
      gitCommit: '3f9c2d1',
      buildTime: '2026-03-01T08:00:00Z',
    },
  );
});

test('unfinished indexes of large spaces are told beside the valid ones', () => {
  const messages = [0, 2].map((unfinished) => judgeIndexes({ total: 80, invalid: [], unfinished }));
  expect(messages).toMatchObject([
    { status: 'OK', message: 'All 80 indexes are valid' },
    { status: 'OK', message: 'All 80 indexes are valid; of large spaces, 2 more being built or merged' },
  ]);
});
