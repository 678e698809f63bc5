import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { abortable, aborted, firstOf, onAbort, unlessAborted } from '../../../../src/shared/async/abort.ts';
import { openScope, waitFor, withScope, withTimeout } from '../../../../src/shared/async/deadline.ts';
import { LONGEST_TIMER_MS, sleep, sleepUntilAborted, startTimer } from '../../../../src/shared/async/timer.ts';

const GONE = new Error('gone');
const LATE = new Error('late');
const timeoutReason = () => LATE;

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

  it.each([100, 2 * LONGEST_TIMER_MS])('restarts its %i ms, and ends when it is cleared', (ms) => {
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
  it('ends after its time and removes its abort listener', async () => {
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

  it('ends with an abort when that is no failure', async () => {
    const controller = new AbortController();
    const slept = sleepUntilAborted(50, controller.signal);
    controller.abort(GONE);
    await slept;
    await sleepUntilAborted(50, controller.signal);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a listener of an abort', () => {
  it('is called once, at once after an abort, and not when it has let go', () => {
    const act = vi.fn();
    onAbort(AbortSignal.abort(GONE), act);
    expect(act).toHaveBeenCalledOnce();
    const controller = new AbortController();
    const letGo = onAbort(controller.signal, act);
    onAbort(undefined, act)();
    expect(listeners(controller.signal)).toBe(1);
    letGo();
    expect(listeners(controller.signal)).toBe(0);
    controller.abort(GONE);
    expect(act).toHaveBeenCalledOnce();
  });
});

describe('a wait that an abort ends', () => {
  /** A wait, what it was given to settle it, and how often it was ended. */
  function begun(signal: AbortSignal | undefined) {
    const end = vi.fn();
    let settle = { resolve: (_value: string) => {}, reject: (_error: unknown) => {} };
    const promise = abortable<string>(signal, (resolve, reject) => {
      settle = { resolve, reject };
      return end;
    });
    return { promise, end, settle: () => settle };
  }

  it('is ended once and leaves no listener, however it is settled', async () => {
    for (const how of ['value', 'error', 'abort'] as const) {
      const controller = new AbortController();
      const { promise, end, settle } = begun(controller.signal);
      promise.catch(() => {});
      expect(listeners(controller.signal)).toBe(1);
      if (how === 'value') settle().resolve('done');
      else if (how === 'error') settle().reject(LATE);
      else controller.abort(GONE);
      // In the moment of the outcome, not in a later turn: nobody may take it for waiting any more.
      expect([end.mock.calls.length, listeners(controller.signal)]).toEqual([1, 0]);
      controller.abort(GONE);
      settle().resolve('too late');
      settle().reject(new Error('too late'));
      expect(end).toHaveBeenCalledOnce();
      const outcome = await promise.catch((error: unknown) => error);
      expect(outcome).toBe({ value: 'done', error: LATE, abort: GONE }[how]);
    }
  });

  it('begins nothing after an abort, and ends what is settled while it begins', async () => {
    const start = vi.fn(() => () => {});
    await expect(abortable(AbortSignal.abort(GONE), start)).rejects.toBe(GONE);
    expect(start).not.toHaveBeenCalled();
    const { signal } = new AbortController();
    const end = vi.fn();
    const settled = abortable<string>(signal, (resolve) => {
      resolve('at once');
      return end;
    });
    await expect(settled).resolves.toBe('at once');
    expect(end).toHaveBeenCalledOnce();
    const broken = abortable(signal, () => {
      throw LATE;
    });
    await expect(broken).rejects.toBe(LATE);
    expect(listeners(signal)).toBe(0);
  });
});

describe('a wait with a signal', () => {
  it('settles with the outcome, or with the reason of an earlier abort', async () => {
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

  it('joins signals with the reason of the first, and with a timeout', () => {
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
    const bounds = { signal: new AbortController().signal, timeoutMs: 30, timeoutReason };
    const run = withScope(bounds, ({ signal }) => aborted(signal).then(() => Promise.reject(signal.reason)));
    vi.advanceTimersByTime(30);
    await expect(run).rejects.toBe(LATE);
    expect(listeners(bounds.signal)).toBe(0);
  });

  it('does not start after its time', async () => {
    const work = vi.fn();
    await expect(withScope({ timeoutMs: 0, timeoutReason }, work)).rejects.toBe(LATE);
    await expect(withScope({ signal: AbortSignal.abort(GONE), timeoutMs: 9, timeoutReason }, work)).rejects.toBe(GONE);
    expect(work).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('says in its own words why it ends', () => {
    const controller = new AbortController();
    const abortReason = () => new Error('translated');
    const scopes = [openScope({ signal: controller.signal }), openScope({ signal: controller.signal, abortReason })];
    const untold = openScope({ timeoutMs: 10 });
    controller.abort(GONE);
    vi.advanceTimersByTime(10);
    expect(scopes.map(({ signal }) => signal.reason)).toEqual([GONE, new Error('translated')]);
    expect(untold.signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('links as many scopes to one signal as there are open ones', () => {
    const { signal } = new AbortController();
    const open = openScope({ signal });
    for (let n = 0; n < 100; n += 1) openScope({ signal, timeoutMs: 1000 }).close();
    expect([listeners(signal), vi.getTimerCount()]).toEqual([1, 0]);
    open.close();
    open.close();
    expect(listeners(signal)).toBe(0);
  });

  it('bounds the time between refreshes, and nothing once it is closed', () => {
    const scope = openScope({ timeoutMs: 10, timeoutReason });
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
    const slow = waitFor(new Promise(() => {}), { timeoutMs: 10, timeoutReason }, stop);
    await Promise.all([expect(slow).rejects.toBe(LATE), vi.advanceTimersByTimeAsync(20)]);
    expect(stop).toHaveBeenCalledOnce();
    const abortReason = () => new Error('translated');
    const abandoned = waitFor(
      new Promise(() => {}),
      { signal: AbortSignal.abort(GONE), timeoutReason, abortReason },
      stop,
    );
    await expect(abandoned).rejects.toThrow('translated');
    expect(stop).toHaveBeenCalledTimes(2);
    const { signal } = new AbortController();
    await expect(waitFor(Promise.reject(LATE), { signal, timeoutMs: 10 }, stop)).rejects.toBe(LATE);
    expect([listeners(signal), vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('accepts an outcome of the same event loop turn as the timeout', async () => {
    const stop = vi.fn();
    const work = pending<string>();
    const waited = waitFor(work.promise, { timeoutMs: 10, timeoutReason }, stop);
    setTimeout(() => work.resolve('just in time'), 10);
    await vi.advanceTimersByTimeAsync(10);
    await expect(waited).resolves.toBe('just in time');
    await vi.advanceTimersByTimeAsync(10);
    expect(stop).not.toHaveBeenCalled();
  });
});
