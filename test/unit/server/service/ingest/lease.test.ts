import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DatabaseHealth } from '../../../../../src/server/service/ingest/lease.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PAUSE_MS = 2000;

function watching(leaseMs: number) {
  const watch = new DatabaseHealth(leaseMs, PAUSE_MS);
  const call = (ms: number) => watch.watch(async () => void vi.advanceTimersByTime(ms));
  const fail = () => watch.watch(() => Promise.reject(new Error('away'))).catch(() => undefined);
  return { watch, call, fail };
}

test.each([
  [1000, 500],
  [3000, 1500],
  [6000, 2000],
  [12_000, 2000],
  [60_000, 10_000],
])('with a lease of %i ms a call may take %i ms before takeovers are suspended', async (lease, most) => {
  const { watch, call } = watching(lease);
  await call(most);
  expect(watch.showsLostWorkers).toBe(true);
  await call(most + 1);
  expect(watch.showsLostWorkers).toBe(false);
  vi.advanceTimersByTime(lease / 2 + PAUSE_MS - 1);
  expect(watch.showsLostWorkers).toBe(false);
  vi.advanceTimersByTime(1);
  expect(watch.showsLostWorkers).toBe(true);
});

test('a database that stays slow delays takeovers for ten leases at most', async () => {
  const { watch, call } = watching(1000);
  await call(600);
  for (let at = 0; at < 9600; at += 600) {
    expect(watch.showsLostWorkers).toBe(false);
    await call(600);
  }
  await call(600);
  expect(watch.showsLostWorkers).toBe(true);
});

test('after a longer outage workers get the time to renew', async () => {
  const { watch, call, fail } = watching(1000);
  for (let at = 0; at < 30; at += 1) {
    await call(600);
    await fail();
  }
  await call(30_000);
  expect(watch.showsLostWorkers).toBe(false);
  vi.advanceTimersByTime(500 + PAUSE_MS);
  expect(watch.showsLostWorkers).toBe(true);
});
