import { describe, expect, it } from 'vitest';
import { TurnQueue } from '../../../../src/shared/async/turn-queue.ts';

function taken(queue: TurnQueue<string>): string[] {
  const items: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) items.push(item);
  return items;
}

describe('a fair queue', () => {
  it('alternates between owners, in the order of each', () => {
    const queue = new TurnQueue<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.add(item.charAt(0), item);
    expect(taken(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect(queue.isEmpty).toBe(true);
  });

  it('lets a new owner wait for one task of each other owner', () => {
    const queue = new TurnQueue<string>();
    for (const item of ['a1', 'a2', 'a3']) queue.add('a', item);
    expect(queue.take()).toBe('a1');
    queue.add('b', 'b1');
    expect(taken(queue)).toEqual(['a2', 'b1', 'a3']);
  });

  it('deletes a task, and returns whether it was queued', () => {
    const queue = new TurnQueue<string>();
    for (const item of ['a1', 'a2', 'b1']) queue.add(item.charAt(0), item);
    expect([queue.delete('a', 'a1'), queue.delete('a', 'a1'), queue.delete('c', 'c1')]).toEqual([true, false, false]);
    expect(queue.delete('b', 'b1')).toBe(true);
    expect(taken(queue)).toEqual(['a2']);
  });

  it('drains all tasks', () => {
    const queue = new TurnQueue<string>();
    for (const item of ['a1', 'b1', 'a2']) queue.add(item.charAt(0), item);
    expect(queue.clear()).toEqual(['a1', 'a2', 'b1']);
    expect(queue.isEmpty).toBe(true);
  });
});
