import { describe, expect, it } from 'vitest';
import { Semaphore } from '../../../../src/shared/async/semaphore.ts';

type Kind = 'query' | 'document';

/** Starts work that ends when told; `started` holds the names in the order of their start. */
function bench(slots: Semaphore<Kind>) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string, kind: Kind, signal = new AbortController().signal) =>
    slots.run(kind, signal, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { started, start, end };
}

describe('a semaphore', () => {
  it('reserves the last permits for queries', async () => {
    const { started, start, end } = bench(new Semaphore(3, { query: 3, document: 2 }));
    const all = ['d1', 'd2', 'd3'].map((name) => start(name, 'document'));
    all.push(start('q1', 'query'), start('q2', 'query'));
    expect(started).toEqual(['d1', 'd2', 'q1']);
    await end('d1');
    expect(started).toEqual(['d1', 'd2', 'q1', 'q2']);
    await end('q1');
    expect(started).toEqual(['d1', 'd2', 'q1', 'q2', 'd3']);
    for (const name of ['d2', 'q2', 'd3']) await end(name);
    await Promise.all(all);
  });

  it('releases a permit after a failure, and uses none for an aborted waiter', async () => {
    const slots = new Semaphore(1, { query: 1, document: 1 });
    const { started, start, end } = bench(slots);
    const failing = slots.run('query', new AbortController().signal, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('failed');
    });
    const controller = new AbortController();
    const left = start('left', 'document', controller.signal);
    const next = start('next', 'document');
    controller.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(failing).rejects.toThrow('failed');
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toEqual(['next']);
    await end('next');
    await next;
  });

  it('grants permits in order, and none after an abort', async () => {
    const places = new Semaphore(1, { call: 1 });
    const { signal } = new AbortController();
    const leave = await places.acquire('call', signal);
    const order: string[] = [];
    const second = places.acquire('call', signal).then((release) => {
      order.push('second');
      return release;
    });
    const third = places.acquire('call', signal).then(() => order.push('third'));
    await expect(places.acquire('call', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(order).toEqual([]);
    leave();
    const release = await second;
    expect(order).toEqual(['second']);
    release();
    await third;
    expect(order).toEqual(['second', 'third']);
  });
});
