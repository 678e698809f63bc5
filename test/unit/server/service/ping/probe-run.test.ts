import { describe, expect, test } from 'vitest';
import { ProbeRun } from '../../../../../src/server/service/ping/probe-run.ts';
import { all, held, OK, schedule, settle } from './probe-run.fixture.ts';

const HOUR_MS = 3_600_000;
const activeTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('a run of probes', () => {
  test('numbers them from 1 and ends after the last', async () => {
    const run = new ProbeRun(schedule({ count: 5 }), async () => OK, new AbortController().signal);
    expect((await all(run.results())).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(run.ended).toBe(true);
  });

  test('keeps at most that many in flight, and results come as they finish', async () => {
    const { probes, results } = held({ count: 5, maxInFlight: 3 });
    const first = results.next();
    await settle();
    expect(probes.started).toHaveLength(3);
    probes.started[1]?.finish();
    expect((await first).value?.seq).toBe(2);
    const second = results.next();
    await settle();
    expect(probes.started).toHaveLength(4);
    probes.started[3]?.finish();
    expect((await second).value?.seq).toBe(4);
    await results.return();
  });

  test('applies back-pressure to a slow reader', async () => {
    let started = 0;
    const probe = async () => {
      started += 1;
      return OK;
    };
    const results = new ProbeRun(
      schedule({ count: 100, maxInFlight: 2 }),
      probe,
      new AbortController().signal,
    ).results();
    await results.next();
    await settle();
    expect(started).toBe(2);
    await results.next();
    await settle();
    expect(started).toBe(2);
    await results.next();
    await settle();
    expect(started).toBe(4);
    await results.return();
  });

  test('starts the next no sooner than the interval, however long that is', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const { probes, run, results } = held({ intervalMs: 2 ** 40, maxInFlight: 4 });
    const first = results.next();
    await settle();
    expect(probes.started).toHaveLength(1);
    probes.started[0]?.finish();
    await first;
    const second = results.next();
    await settle();
    expect(probes.started).toHaveLength(1);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
    run.cancel();
    expect((await second).done).toBe(true);
  });

  test('runs sixteen in flight without a listener leak warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const { probes, run, results } = held({ count: 16, maxInFlight: 16 });
    const first = results.next();
    await settle();
    expect(probes.started).toHaveLength(16);
    run.cancel();
    expect((await first).done).toBe(true);
    await settle();
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('ends with the error of a probe that throws', async () => {
    const { probes, results } = held({ count: 2, maxInFlight: 2 });
    const first = results.next();
    await settle();
    probes.started[0]?.fail(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    expect(probes.aborted).toEqual([true, true]);
  });
});

describe('controls', () => {
  test('PAUSE stops starts, not results; RESUME goes on', async () => {
    const { probes, run, results } = held({ count: 2 });
    const first = results.next();
    await settle();
    run.pause();
    probes.started[0]?.finish();
    expect((await first).value?.seq).toBe(1);
    const second = results.next();
    await settle();
    expect(probes.started).toHaveLength(1);
    run.resume();
    await settle();
    expect(probes.started).toHaveLength(2);
    probes.started[1]?.finish();
    expect((await second).value?.seq).toBe(2);
    expect((await results.next()).done).toBe(true);
  });

  test('CANCEL aborts probes in flight, and keeps finished ones', async () => {
    const { probes, run, results } = held({ count: 9, maxInFlight: 3 });
    const first = results.next();
    await settle();
    probes.started[0]?.finish();
    probes.started[1]?.finish();
    expect((await first).value?.seq).toBe(1);
    run.cancel();
    expect(probes.aborted).toEqual([false, false, true]);
    expect((await results.next()).value?.seq).toBe(2);
    expect((await results.next()).done).toBe(true);
    expect(probes.started).toHaveLength(3);
  });

  test('CANCEL ends a pause and an interval', async () => {
    for (const paused of [true, false]) {
      const timers = activeTimers();
      const { probes, run, results } = held({ intervalMs: HOUR_MS, maxInFlight: 2 });
      const first = results.next();
      await settle();
      probes.started[0]?.finish();
      await first;
      if (paused) run.pause();
      const second = results.next();
      await settle();
      run.cancel();
      expect((await second).done).toBe(true);
      expect(activeTimers()).toBe(timers);
    }
  });
});

describe('a client abort', () => {
  test('stops probes and timers at once', async () => {
    const timers = activeTimers();
    const { probes, controller, results } = held({ intervalMs: HOUR_MS, maxInFlight: 2 });
    const first = results.next();
    await settle();
    expect(activeTimers()).toBe(timers + 1);
    controller.abort(new DOMException('gone', 'AbortError'));
    expect(probes.aborted).toEqual([true]);
    await expect(first).rejects.toThrow('gone');
    expect(activeTimers()).toBe(timers);
    await settle();
    expect(probes.started).toHaveLength(1);
  });

  test('stops probes also while a result is being written', async () => {
    const { probes, controller, results } = held({ maxInFlight: 2 });
    const first = results.next();
    await settle();
    probes.started[0]?.finish();
    await first;
    controller.abort(new DOMException('gone', 'AbortError'));
    expect(probes.aborted).toEqual([false, true]);
    await expect(results.next()).rejects.toThrow('gone');
  });

  test('before the start starts no probe', async () => {
    const { probes, controller, results } = held();
    controller.abort(new DOMException('gone', 'AbortError'));
    await expect(results.next()).rejects.toThrow('gone');
    expect(probes.started).toHaveLength(0);
  });

  test('also includes a closed response', async () => {
    const { probes, results } = held({ maxInFlight: 2 });
    const first = results.next();
    await settle();
    probes.started[0]?.finish();
    await first;
    await results.return();
    expect(probes.aborted).toEqual([false, true]);
  });
});
