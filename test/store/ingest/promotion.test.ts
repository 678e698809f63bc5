import { describe, expect, test } from 'vitest';
import { segmentIndex } from '../../../src/server/store/vector-tables.ts';
import { sql } from '../identity.fixture.ts';
import { statusOf } from '../memory.fixture.ts';
import { usePromotion } from './promotion.fixture.ts';

const { world, step, promote, grow, placesOf, index } = usePromotion();

describe('a growing space', () => {
  test('stays in the shared partition while it is small', async () => {
    const spaceId = await world.space();
    await world.remember(spaceId, 'one text', { waitMs: 30_000 });
    await promote();
    expect(await placesOf(spaceId)).toMatchObject({ shared: 1, segments: [], counted: 1 });
  });

  test('gets a segment with an index; inserts, deletes and searches stay correct', async () => {
    const spaceId = await world.space();
    const neighbor = await world.space();
    await world.remember(neighbor, 'another text', { waitMs: 30_000 });
    const first = await grow(spaceId, 'aaaa');
    await grow(spaceId, 'bbbb');
    await promote();
    const grown = await placesOf(spaceId);
    expect(grown).toMatchObject({ shared: 0, segments: [100], counted: 100 });
    expect(grown.layout.segments).toEqual([{ number: 1, state: 'INDEXED' }]);
    const built = await index(segmentIndex({ ...grown, spaceId }, 1));
    expect(built?.valid).toBe(true);
    expect(built?.definition).toMatch(/using hnsw \(embedding halfvec_ip_ops\) with \(m='16', ef_construction='64'\)/i);
    expect(await placesOf(neighbor)).toMatchObject({ shared: 1, segments: [] });

    await grow(spaceId, 'cccc');
    expect(await placesOf(spaceId)).toMatchObject({ shared: 50, segments: [100], counted: 150 });
    const counts: number[] = [];
    const observe = { vectorsOutside: (count: number) => counts.push(count) };
    while (await step(observe));
    await step(observe);
    expect([counts.at(0), counts.at(-1)]).toEqual([50, 0]);
    expect(await placesOf(spaceId)).toMatchObject({ shared: 0, segments: [150], counted: 150 });

    await world.memory('deleteMemory', { memoryId: first });
    expect(await placesOf(spaceId)).toMatchObject({ shared: 0, segments: [100], counted: 100 });

    await world.call('deleteSpace', { spaceId }, world.ada);
    await promote();
    const left = await sql(world.db, 'select from pg_class where relname = any ($1)', [grown.tables]);
    expect(left).toEqual([]);
    expect(await placesOf(neighbor)).toMatchObject({ shared: 1 });
  });

  test('two concurrent servers move it once', async () => {
    const spaceId = await world.space();
    await grow(spaceId, 'aaaa');
    await grow(spaceId, 'bbbb');
    await Promise.allSettled([promote(), promote()]);
    await promote();
    const grown = await placesOf(spaceId);
    expect(grown).toMatchObject({ shared: 0, segments: [100] });
    expect((await index(segmentIndex({ ...grown, spaceId }, 1)))?.valid).toBe(true);
  });

  test('accepts writes while it is moved', async () => {
    const spaceId = await world.space();
    await grow(spaceId, 'aaaa');
    await grow(spaceId, 'bbbb');
    const writing = Array.from({ length: 10 }, (_, number) => world.remember(spaceId, `text ${number}`));
    await promote();
    for (const { memoryId } of await Promise.all(writing)) {
      const done = await world.processed(memoryId);
      expect(statusOf(done)).toBe('COMPLETED');
      expect(done.processingHistory?.attempts).toHaveLength(1);
    }
    await promote();
    expect(await placesOf(spaceId)).toMatchObject({ shared: 0, segments: [110], counted: 110 });
  });
});
