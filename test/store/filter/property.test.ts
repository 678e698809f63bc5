import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expressions, metadata } from './model.fixture.ts';
import { useFilterRows } from './rows.fixture.ts';

const rows = useFilterRows();

const id = (index: number) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;

test('random filters on random metadata agree with the model', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(metadata, { minLength: 5, maxLength: 10 }),
      fc.array(expressions.boolean, { minLength: 10, maxLength: 10 }),
      async (memories, filters) => {
        await rows.store(memories.map((each, index) => ({ memoryId: id(index), metadata: each })));
        for (const filter of filters.filter(({ text }) => text.length < 9000)) {
          expect(await rows.evaluate(filter.text), filter.text).toEqual(memories.map(filter.of));
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('what passes a random filter meets the condition on its keys', { timeout: 120_000 }, async () => {
  let indexed = 0;
  let narrowed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(metadata, { minLength: 5, maxLength: 10 }),
      fc.array(expressions.boolean, { minLength: 20, maxLength: 20 }),
      async (memories, filters) => {
        await rows.store(memories.map((each, index) => ({ memoryId: id(index), metadata: each })));
        for (const filter of filters.filter(({ text }) => text.length < 9000)) {
          const keys = await rows.evaluateKeys(filter.text);
          if (keys === undefined) continue;
          indexed += 1;
          if (keys.results.includes(false)) narrowed += 1;
          for (const [index, each] of memories.entries()) {
            if (filter.of(each) === true) expect(keys.results[index], filter.text).toBe(true);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
  // The filters are random: enough of them imply such a condition, and it leaves out memories.
  expect(indexed).toBeGreaterThan(20);
  expect(narrowed).toBeGreaterThan(10);
});
