import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Wakeup } from '../../../../src/shared/async/wakeup.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Whether a promise is settled once all that is due has run. */
async function isOver(promise: Promise<void>): Promise<boolean> {
  let over = false;
  void promise.then(() => {
    over = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return over;
}

test('a notification ends the wait and leaves nothing behind', async () => {
  const { signal } = new AbortController();
  const wakeup = new Wakeup();
  const waited = wakeup.wait({ signal, timeoutMs: 1000 });
  expect(await isOver(waited)).toBe(false);
  wakeup.notify();
  expect(await isOver(waited)).toBe(true);
  expect([getEventListeners(signal, 'abort').length, vi.getTimerCount()]).toEqual([0, 0]);
  expect(await isOver(wakeup.wait())).toBe(false);
});

test('a notification that nobody waits for ends the next wait, and only that', async () => {
  const wakeup = new Wakeup();
  wakeup.notify();
  wakeup.notify();
  expect(await isOver(wakeup.wait())).toBe(true);
  expect(await isOver(wakeup.wait({ timeoutMs: 1000 }))).toBe(false);
});

test('a late notification, after the time or an abort, is kept for the next wait', async () => {
  const wakeup = new Wakeup();
  const short = wakeup.wait({ timeoutMs: 10 });
  await vi.advanceTimersByTimeAsync(10);
  expect(await isOver(short)).toBe(true);
  const controller = new AbortController();
  const left = wakeup.wait({ signal: controller.signal });
  controller.abort();
  expect(await isOver(left)).toBe(true);
  wakeup.notify();
  expect(await isOver(wakeup.wait())).toBe(true);
});

test('an abort ends the wait without an error, also one from before', async () => {
  const controller = new AbortController();
  const wakeup = new Wakeup();
  const waited = wakeup.wait({ signal: controller.signal });
  controller.abort(new Error('gone'));
  await waited;
  await wakeup.wait({ signal: controller.signal, timeoutMs: 1000 });
  expect(vi.getTimerCount()).toBe(0);
});

test('a thousand waits leave no listener on a signal that lives on', async () => {
  const { signal } = new AbortController();
  const wakeup = new Wakeup();
  for (let n = 0; n < 1000; n += 1) {
    const waited = wakeup.wait({ signal, timeoutMs: 5 });
    if (n % 2 === 0) wakeup.notify();
    else vi.advanceTimersByTime(5);
    await waited;
  }
  expect([getEventListeners(signal, 'abort').length, vi.getTimerCount()]).toEqual([0, 0]);
});

test('a second waiter is a mistake', async () => {
  const wakeup = new Wakeup();
  const first = wakeup.wait();
  await expect(wakeup.wait()).rejects.toThrow('one waiter');
  wakeup.notify();
  await first;
});
