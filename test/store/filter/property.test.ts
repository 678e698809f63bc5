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
