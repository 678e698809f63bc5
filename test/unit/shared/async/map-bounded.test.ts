import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { mapBounded } from '../../../../src/shared/async/map-bounded.ts';

const FAILED = new Error('failed');

async function* coming<T>(items: readonly T[], failure?: Error): AsyncGenerator<T> {
  yield* items;
  if (failure !== undefined) throw failure;
}

it.each([
  ['a list', [1, 2, 3, 4, 5]],
  ['an async iterable', coming([1, 2, 3, 4, 5])],
])('processes %s, with bounded concurrency', async (_, items) => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  await mapBounded(items, { limit: 2 }, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await turn();
    running -= 1;
    done.push(item);
  });
  expect([most, done.sort()]).toEqual([2, [1, 2, 3, 4, 5]]);
});

it('starts nothing after a failure, aborts the others, and throws it when they have ended', async () => {
  const begun: number[] = [];
  const failures: unknown[] = [];
  let heard: unknown;
  const work = async (item: number, signal: AbortSignal) => {
    begun.push(item);
    if (item === 2) throw FAILED;
    await turn();
    await turn();
    heard = signal.reason;
    throw new Error('a failure of the abandoned');
  };
  const run = mapBounded([1, 2, 3, 4], { limit: 2, onFailure: (error) => failures.push(error) }, work);
  await expect(run).rejects.toBe(FAILED);
  expect([begun, failures, heard]).toEqual([[1, 2], [FAILED], FAILED]);
});

it('starts no item after a failure, and throws that failure rather than the one of the cleanup', async () => {
  const begun: number[] = [];
  async function* slow(): AsyncGenerator<number> {
    try {
      yield 1;
      yield 2;
      for (let waited = 0; waited < 10; waited += 1) await turn();
      yield 3;
    } finally {
      yield* coming([], new Error('a failure of the cleanup'));
    }
  }
  const work = async (item: number) => {
    begun.push(item);
    await turn();
    if (item === 2) throw FAILED;
  };
  await expect(mapBounded(slow(), { limit: 2 }, work)).rejects.toBe(FAILED);
  expect(begun).toEqual([1, 2]);
});

it('finishes running items when the source fails', async () => {
  const done: number[] = [];
  const work = async (item: number) => {
    await turn();
    done.push(item);
  };
  await expect(mapBounded(coming([1, 2], FAILED), { limit: 4 }, work)).rejects.toBe(FAILED);
  expect(done).toEqual([1, 2]);
});

it('throws the reason of the signal once running items have ended', async () => {
  const controller = new AbortController();
  const done: number[] = [];
  const work = async (item: number, signal: AbortSignal) => {
    controller.abort(FAILED);
    await turn();
    done.push(item);
    expect(signal.aborted).toBe(true);
  };
  const run = mapBounded([1, 2, 3], { limit: 1, signal: controller.signal }, work);
  await expect(run).rejects.toBe(FAILED);
  expect(done).toEqual([1]);
});
