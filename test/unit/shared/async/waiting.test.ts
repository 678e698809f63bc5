import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aborted, firstOf, unlessAborted, withTimeout } from '../../../../src/shared/async/abort.ts';
import { openScope, waitFor, withDeadline } from '../../../../src/shared/async/deadline.ts';
import { LONGEST_TIMER_MS, sleep, startTimer } from '../../../../src/shared/async/timer.ts';

const GONE = new Error('gone');
const LATE = new Error('late');
const late = () => LATE;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function listeners(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}

/** A promise, and what settles it. */
function pending<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

describe('a timer', () => {
  it('waits longer than a timer of Node can', () => {
    const fire = vi.fn();
    startTimer(3 * LONGEST_TIMER_MS, fire);
    vi.advanceTimersByTime(3 * LONGEST_TIMER_MS - 1);
    expect(fire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([100, 2 * LONGEST_TIMER_MS])('begins its %i ms anew, and ends when it is cleared', (ms) => {
    const fire = vi.fn();
    const timer = startTimer(ms, fire);
    vi.advanceTimersByTime(ms - 1);
    timer.refresh();
    vi.advanceTimersByTime(ms - 1);
    expect(fire).not.toHaveBeenCalled();
    timer.clear();
    timer.refresh();
    vi.advanceTimersByTime(2 * ms);
    expect(fire).not.toHaveBeenCalled();
  });
});

describe('a sleep', () => {
  it('ends after its time and lets go of the signal', async () => {
    const { signal } = new AbortController();
    const slept = sleep(50, signal);
    vi.advanceTimersByTime(50);
    await slept;
    expect(listeners(signal)).toBe(0);
  });

  it('rejects with the reason of an abort, before and during it', async () => {
    await expect(sleep(50, AbortSignal.abort(GONE))).rejects.toBe(GONE);
    const controller = new AbortController();
    const slept = sleep(50, controller.signal);
    controller.abort(GONE);
    await expect(slept).rejects.toBe(GONE);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('waiting with a signal', () => {
  it('gives the outcome, or the reason of the abort when that comes first', async () => {
    const controller = new AbortController();
    const work = pending<string>();
    const waited = unlessAborted(work.promise, controller.signal);
    controller.abort(GONE);
    await expect(waited).rejects.toBe(GONE);
    await expect(unlessAborted(Promise.resolve('done'), new AbortController().signal)).resolves.toBe('done');
    await expect(unlessAborted(Promise.reject(LATE), new AbortController().signal)).rejects.toBe(LATE);
    // What is given up may fail without anybody.
    work.reject(new Error('nobody hears of it'));
  });

  it('resolves at an abort', async () => {
    const controller = new AbortController();
    const end = aborted(controller.signal);
    controller.abort(GONE);
    await end;
    await aborted(controller.signal);
  });

  it('joins signals with the reason of the first, and with a time', () => {
    const controller = new AbortController();
    const joined = firstOf(undefined, new AbortController().signal, controller.signal);
    const limited = withTimeout(controller.signal, 2 * LONGEST_TIMER_MS);
    const other = withTimeout(undefined, 20);
    vi.advanceTimersByTime(20);
    expect([joined.aborted, limited.aborted, other.reason.name]).toEqual([false, false, 'TimeoutError']);
    controller.abort(GONE);
    expect([joined.reason, limited.reason]).toEqual([GONE, GONE]);
  });
});

describe('a deadline', () => {
  it('aborts the scope of the work when the time is over', async () => {
    const bounds = { signal: new AbortController().signal, timeoutMs: 30, late };
    const run = withDeadline(bounds, ({ signal }) => aborted(signal).then(() => Promise.reject(signal.reason)));
    vi.advanceTimersByTime(30);
    await expect(run).rejects.toBe(LATE);
    expect(listeners(bounds.signal)).toBe(0);
  });

  it('does not begin what is over already', async () => {
    const work = vi.fn();
    await expect(withDeadline({ timeoutMs: 0, late }, work)).rejects.toBe(LATE);
    await expect(withDeadline({ signal: AbortSignal.abort(GONE), timeoutMs: 9, late }, work)).rejects.toBe(GONE);
    expect(work).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('bounds pauses when it is refreshed, and nothing once it is closed', () => {
    const scope = openScope({ timeoutMs: 10, late });
    vi.advanceTimersByTime(9);
    scope.refresh();
    vi.advanceTimersByTime(9);
    expect(scope.signal.aborted).toBe(false);
    scope.close();
    vi.advanceTimersByTime(100);
    expect(scope.signal.aborted).toBe(false);
  });
});

describe('a bounded wait', () => {
  it('stops the work and rejects, by time and by abort', async () => {
    const stop = vi.fn();
    const slow = waitFor(new Promise(() => {}), { timeoutMs: 10, late }, stop);
    await Promise.all([expect(slow).rejects.toBe(LATE), vi.advanceTimersByTimeAsync(20)]);
    expect(stop).toHaveBeenCalledOnce();
    const left = () => new Error('translated');
    const abandoned = waitFor(new Promise(() => {}), { signal: AbortSignal.abort(GONE), late, left }, stop);
    await expect(abandoned).rejects.toThrow('translated');
    expect(stop).toHaveBeenCalledTimes(2);
  });

  it('takes an outcome that came in the turn in which the time ran out', async () => {
    const stop = vi.fn();
    const work = pending<string>();
    const waited = waitFor(work.promise, { timeoutMs: 10, late }, stop);
    setTimeout(() => work.resolve('just in time'), 10);
    await vi.advanceTimersByTimeAsync(10);
    await expect(waited).resolves.toBe('just in time');
    await vi.advanceTimersByTimeAsync(10);
    expect(stop).not.toHaveBeenCalled();
  });
});
