import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Reclaim } from '../../../src/server/reclaim.ts';

const MB = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('memory is collected once large requests have ended, and not while they continue', () => {
  const collect = vi.fn();
  const reclaim = new Reclaim(collect);
  reclaim.released(20 * MB);
  vi.advanceTimersByTime(60_000);
  expect(collect).not.toHaveBeenCalled();
  for (let count = 0; count < 10; count += 1) {
    reclaim.released(100 * MB);
    vi.advanceTimersByTime(1500);
  }
  expect(collect).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(collect).toHaveBeenCalledTimes(1);
  reclaim.released(20 * MB);
  vi.advanceTimersByTime(60_000);
  expect(collect).toHaveBeenCalledTimes(1);
});
