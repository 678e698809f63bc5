import { describe, expect, it } from 'vitest';
import { planBatches } from '../../src/server/providers/adaptive-batches.ts';
import type { EmbedInputType } from '../../src/server/providers/embedders/types.ts';
import { CallSlots } from '../../src/server/providers/slots.ts';

/** Starts work that ends when told; `started` holds the names in the order of their start. */
function bench(slots: CallSlots) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string, inputType: EmbedInputType, signal = new AbortController().signal) =>
    slots.run(inputType, signal, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { started, start, end };
}

describe('CallSlots', () => {
  it('keeps the last slots for queries and lets them pass', async () => {
    const { started, start, end } = bench(new CallSlots(3, 2));
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

  it('gives back a slot after a failure, and takes none for who left the queue', async () => {
    const slots = new CallSlots(1, 1);
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
});

describe('planBatches', () => {
  it('cuts by count and by characters and leaves nothing out', () => {
    const limits = { maxTexts: 3, maxCharacters: 10 };
    expect(planBatches([], limits)).toEqual([]);
    expect(planBatches(['a', 'b', 'c', 'd'], limits)).toEqual([
      { start: 0, end: 3 },
      { start: 3, end: 4 },
    ]);
    expect(planBatches(['12345', '12345', '1', '12345678901', '1'], limits)).toEqual([
      { start: 0, end: 2 },
      { start: 2, end: 3 },
      { start: 3, end: 4 },
      { start: 4, end: 5 },
    ]);
  });
});
