import { expect, test } from 'vitest';
import { fuse } from '../../../../../src/server/service/retrieval/fusion.ts';

test('the largest weights together give a finite score', () => {
  const hit = { memoryId: 'm', sequence: 0, similarity: 1 };
  const scoreOf = (...weights: number[]) => {
    const rankings = weights.map((weight) => ({ weight }));
    return fuse('s', rankings, [[hit], [hit]]).map(({ score }) => score);
  };
  expect(scoreOf(Number.MAX_VALUE, Number.MAX_VALUE)).toEqual([Number.MAX_VALUE]);
  expect(scoreOf(-Number.MAX_VALUE, -Number.MAX_VALUE)).toEqual([-Number.MAX_VALUE]);
});
