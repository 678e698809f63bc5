import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isoFromMs,
  MAX_EPOCH_MS,
  MIN_EPOCH_MS,
  msFromIso,
  relativeTime,
  timestampFromMs,
  timestampToMs,
} from '../../../src/shared/time.ts';

test('timestamps and epoch milliseconds are the same times', () => {
  fc.assert(
    fc.property(fc.integer({ min: MIN_EPOCH_MS, max: MAX_EPOCH_MS }), (ms) => {
      const timestamp = timestampFromMs(ms);
      expect(timestamp.nanos).toBeGreaterThanOrEqual(0);
      expect(timestamp.nanos).toBeLessThan(1e9);
      expect(timestampToMs(timestamp)).toBe(ms);
      expect(msFromIso(isoFromMs(ms))).toBe(ms);
    }),
  );
});
test('fractions of a millisecond are truncated', () => {
  expect(timestampToMs({ seconds: 1n, nanos: 999_999_999 })).toBe(1999);
  expect(timestampToMs({ seconds: -1n, nanos: 500_999_999 })).toBe(-500);
});

describe('ISO 8601', () => {
  test.each([
    ['2026-03-03T09:30:00Z', 1772530200000],
    ['2026-03-03T09:30:00.123Z', 1772530200123],
    ['2026-03-03T09:30:00.1Z', 1772530200100],
    ['2026-03-03T09:30:00.123456789Z', 1772530200123],
    ['2026-03-03T10:30:00+01:00', 1772530200000],
    ['2026-03-03T10:30:00+0100', 1772530200000],
    ['2026-03-03T04:00-05:30', 1772530200000],
    ['2026-03-03T09:30', 1772530200000],
    ['2026-03-03', 1772496000000],
    ['2024-02-29', 1709164800000],
    ['0099-01-01', -59042995200000],
  ])('%s', (text, ms) => {
    expect(msFromIso(text)).toBe(ms);
  });
  test.each([
    '',
    'now',
    '1772530200000',
    '2026',
    '2026-3-3',
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-03-03T24:00Z',
    '2026-03-03T09:60Z',
    '2026-03-03T09:30:60Z',
    '2026-03-03 09:30',
    '2026-03-03T09:30+24:00',
    '0000-01-01',
    '0001-01-01T00:00+01:00',
    ' 2026-03-03',
  ])('%j is no ISO 8601', (text) => {
    expect(msFromIso(text)).toBeUndefined();
  });
});

test.each([
  [0, 'just now'],
  [-59_999, 'just now'],
  [59_999, 'just now'],
  [-60_000, '1 minute ago'],
  [-3_599_999, '59 minutes ago'],
  [-3_600_000, '1 hour ago'],
  [3 * 3_600_000, 'in 3 hours'],
  [-2 * 86_400_000, '2 days ago'],
  [-29 * 86_400_000, '29 days ago'],
  [-30 * 86_400_000, '1 month ago'],
  [-364 * 86_400_000, '12 months ago'],
  [365 * 86_400_000, 'in 1 year'],
  [-800 * 86_400_000, '2 years ago'],
])('%d ms away is %s', (offset, words) => {
  expect(relativeTime(1e12 + offset, 1e12)).toBe(words);
  expect(relativeTime(new Date(1e12 + offset), new Date(1e12))).toBe(words);
});
