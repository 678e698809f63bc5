import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchProgress } from '../../../../src/server/transport/progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const KB = 1024;

/** After how many periods one is refused that sends so much in each of them, and for what. Undefined: never in an hour. */
async function refusal(perPeriod: number, heldAfter: (periods: number) => number) {
  let periods = 0;
  let told: string | undefined;
  const incoming = { received: () => periods * perPeriod, held: () => heldAfter(periods), isExcused: () => false };
  const stop = watchProgress(incoming, 60_000, (details) => {
    told = `${periods}: ${details}`;
  });
  while (told === undefined && periods < 60) {
    await vi.advanceTimersByTimeAsync(59_999);
    periods += 1;
    await vi.advanceTimersByTimeAsync(1);
  }
  stop();
  return told;
}

test('a body without reserved memory needs a kilobyte a second', async () => {
  expect(await refusal(64 * KB, () => 0)).toBeUndefined();
  expect(await refusal(64 * KB - 1, () => 0)).toBe('1: less than 65536 bytes in 60 s');
});

test('a body has to fill its reserved memory within a quarter of an hour', async () => {
  expect(await refusal(100 * KB, () => 1500 * KB)).toBeUndefined();
  expect(await refusal(100 * KB - 1, () => 1500 * KB)).toBe('1: less than 102400 bytes in 60 s');
});

test('the period in which memory was reserved counts in part', async () => {
  expect(await refusal(64 * KB, (periods) => (periods > 3 ? 1500 * KB : 0))).toBe('5: less than 102400 bytes in 60 s');
});
