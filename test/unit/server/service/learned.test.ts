import { expect, test } from 'vitest';
import { Learned } from '../../../../src/server/service/learned.ts';

test('forgets what was not used for the longest time', () => {
  const learned = new Learned<string>(2);
  learned.set('a', 'A');
  learned.set('b', 'B');
  learned.get('a');
  learned.set('c', 'C');
  expect(['a', 'b', 'c'].map((key) => learned.get(key))).toEqual(['A', undefined, 'C']);
});

test('holds as much as it may weigh, however few entries that are', () => {
  const learned = new Learned<string>(10, (text) => text.length);
  for (const key of ['a', 'b', 'c', 'd']) learned.set(key, key.repeat(3));
  const held = () => ['a', 'b', 'c', 'd', 'e'].map((key) => learned.get(key)?.length ?? 0);
  expect(held()).toEqual([0, 3, 3, 3, 0]);
  learned.set('c', 'c');
  learned.delete('d');
  learned.set('e', 'e'.repeat(6));
  expect(held()).toEqual([0, 3, 1, 0, 6]);
  learned.set('a', 'a'.repeat(11));
  expect(held()).toEqual([0, 0, 0, 0, 0]);
});
