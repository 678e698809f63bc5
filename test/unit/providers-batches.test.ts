import { describe, expect, it } from 'vitest';
import { planBatches } from '../../src/server/providers/adaptive-batches.ts';

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
