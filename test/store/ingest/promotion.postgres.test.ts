import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { lockVectorLayouts } from '../../../src/server/store/vector-layout.ts';
import { copyVectors } from '../../../src/server/store/vector-merge.ts';
import {
  buildSegmentIndex,
  createSegment,
  markSegment,
  moveVectors,
} from '../../../src/server/store/vector-promotion.ts';
import { segmentIndex, segmentTable } from '../../../src/server/store/vector-tables.ts';
import { deleteVectors } from '../../../src/server/store/vectors-write.ts';
import { sql } from '../identity.fixture.ts';
import { usePromotion } from './promotion.fixture.ts';

/** As in the task. */
const STILL_GROWS = 1000;
const { world, promote, move, build, grow, placesOf, index } = usePromotion();

// With one session there is one segment, which has its index from the start, and nothing happens beside a move.
describe('the segments of a growing space', () => {
  // The first one: no other space has a step to take, which the answer would tell too.
  test('waits for one more look where much has come since the last', async () => {
    const spaceId = await world.space();
    for (const prefix of ['aaaa', 'bbbb']) await grow(spaceId, prefix);
    const { embedderId } = await placesOf(spaceId);
    const seen = new Map([
      [`${spaceId} ${embedderId}`, -STILL_GROWS],
      ['of a deleted space', 1],
    ]);
    expect(await move(seen)).toBe(false);
    expect((await placesOf(spaceId)).layout.segments).toEqual([]);
    await move(seen);
    expect((await placesOf(spaceId)).layout.segments).toMatchObject([{ state: 'PLAIN' }]);
    expect(seen.has('of a deleted space')).toBe(false);
    await promote();
  });

  test('gets a further segment where much comes at once, and one for all when there is time', async () => {
    const spaceId = await world.space();
    for (const prefix of ['aaaa', 'bbbb']) await grow(spaceId, prefix);
    await promote();
    for (const prefix of ['cccc', 'dddd', 'eeee']) await grow(spaceId, prefix);
    await promote();
    const { layout, ...places } = await placesOf(spaceId);
    expect(places).toMatchObject({ shared: 0, segments: [250], counted: 250 });
    expect(layout.segments).toEqual([{ number: 3, state: 'INDEXED' }]);
    expect((await index(segmentIndex({ ...places, spaceId }, 3)))?.valid).toBe(true);
  });

  test('a server that was killed after any step leaves what the next one finishes', async () => {
    const spaceId = await world.space();
    await grow(spaceId, 'aaaa');
    await grow(spaceId, 'bbbb');
    const { embedderId, layout, counted } = await placesOf(spaceId);
    const space = { spaceId, embedderId, layout, vectorCount: counted, lastSegment: 0 };
    await expect(
      world.db.background.withTx(async (tx) => {
        await createSegment(tx, space, { state: 'PLAIN' });
        throw new Error('killed');
      }),
    ).rejects.toThrow('killed');
    await world.db.background.withTx((tx) => createSegment(tx, space, { state: 'PLAIN' }));
    const vectors = { ...space, ...(await placesOf(spaceId)) };
    await moveVectors(world.db.background, vectors, { number: 1, after: undefined, limit: 30 });
    expect(await placesOf(spaceId)).toMatchObject({ shared: 70, segments: [30] });
    await world.db.background.script(
      `create index ${segmentIndex(space, 1)} on ${segmentTable(space, 1)} using hnsw (embedding halfvec_ip_ops)`,
    );
    await promote();
    const grown = await placesOf(spaceId);
    expect(grown).toMatchObject({ shared: 0, segments: [100], counted: 100 });
    expect(grown.layout.segments).toEqual([{ number: 1, state: 'INDEXED' }]);
  });

  test('deletes copies too, and goes on where a server was killed among them', async () => {
    const spaceId = await world.space();
    const gone = await grow(spaceId, 'aaaa');
    const before = await grow(spaceId, 'bbbb');
    await promote();
    const { embedderId, layout, counted } = await placesOf(spaceId);
    const space = { spaceId, embedderId, layout, vectorCount: counted, lastSegment: 1 };
    const filling = { state: 'FILLING' as const, replaces: [1] };
    await world.db.background.withTx((tx) => createSegment(tx, space, filling));
    const vectors = { spaceId, ...(await placesOf(spaceId)) };
    await copyVectors(world.db.background, vectors, { from: 1, to: 2, after: undefined, limit: 70 });
    expect((await placesOf(spaceId)).segments).toEqual([100, 70]);
    await world.memory('deleteMemory', { memoryId: gone });
    const [left = 0, copies = 0] = (await placesOf(spaceId)).segments;
    expect([left, [20, 50].includes(copies)]).toEqual([50, true]);
    await promote();
    const { tables, ...after } = await placesOf(spaceId);
    expect(after).toMatchObject({ shared: 0, segments: [50], counted: 50 });
    expect(after.layout.segments).toEqual([{ number: 2, state: 'INDEXED' }]);
    expect(await sql(world.db, `select distinct memory_id as id from ${tables[0]}`)).toEqual([{ id: before }]);
    await promote();
    const dropped = segmentTable({ spaceId, embedderId }, 1);
    expect(await sql(world.db, 'select from pg_class where relname = $1', [dropped])).toEqual([]);
  });

  test('an index is built anew while the segment is read', async () => {
    const spaceId = await world.space();
    await grow(spaceId, 'aaaa');
    await grow(spaceId, 'bbbb');
    await promote();
    const { embedderId, tables } = await placesOf(spaceId);
    const { background, main } = world.db;
    let building: Promise<void> | undefined;
    await main.withTx(async (tx) => {
      await tx.script(`select from ${tables[0]} limit 1`);
      building = background.withSession((session) =>
        buildSegmentIndex(session, { spaceId, embedderId, number: 1 }, { parallel: false }),
      );
      await sleep(300);
      const text = `select from ${tables[0]} limit 1`;
      await main.query({ name: 'test', text, prepare: false }, [], { timeoutMs: 500 });
    });
    await building;
    expect(await index(segmentIndex({ spaceId, embedderId }, 1))).toMatchObject({ valid: true });
  });

  test('while the index of one space is being built the vectors of another one move', async () => {
    const [building, moving] = [await world.space(), await world.space()];
    for (const spaceId of [building, moving]) for (const prefix of ['aaaa', 'bbbb']) await grow(spaceId, prefix);
    await promote();
    for (const prefix of ['cccc', 'dddd']) await grow(building, prefix);
    await grow(moving, 'cccc');
    // The step before the build: the segment is there, and has no index yet.
    await move();
    const { tables } = await placesOf(building);
    let built: Promise<boolean> | undefined;
    await world.db.main.withTx(async (tx) => {
      await tx.script(`lock table ${tables[1]} in share update exclusive mode`);
      built = build();
      while (await move());
      expect(await placesOf(moving)).toMatchObject({ shared: 0, segments: [150] });
      expect((await placesOf(building)).layout.segments[1]).toMatchObject({ state: 'PLAIN' });
    });
    await built;
    expect((await placesOf(building)).layout.segments).toMatchObject([{ state: 'INDEXED' }, { state: 'INDEXED' }]);
  });

  test('a segment is not replaced while a deletion counts on it', async () => {
    const spaceId = await world.space();
    const memoryId = await grow(spaceId, 'aaaa');
    await grow(spaceId, 'bbbb');
    await promote();
    const { embedderId, layout, counted } = await placesOf(spaceId);
    const space = { spaceId, embedderId, layout, vectorCount: counted, lastSegment: 1 };
    const { background } = world.db;
    await background.withTx((tx) => createSegment(tx, space, { state: 'FILLING', replaces: [1] }));
    const places = async () => ({ spaceId, ...(await placesOf(spaceId)) });
    await copyVectors(background, await places(), { from: 1, to: 2, after: undefined, limit: 100 });
    await markSegment(background, await places(), { number: 2, state: 'COPIED' });
    await buildSegmentIndex(background, { spaceId, embedderId, number: 2 }, { parallel: false });
    let promoting: Promise<void> | undefined;
    await world.db.main.withTx(async (tx) => {
      const [learned] = await lockVectorLayouts(tx, { spaceId, embedderIds: [embedderId] });
      promoting = promote();
      await sleep(300);
      expect((await placesOf(spaceId)).layout.segments).toHaveLength(2);
      if (learned !== undefined) await deleteVectors(tx, learned, [memoryId]);
    });
    await promoting;
    expect(await placesOf(spaceId)).toMatchObject({ segments: [50] });
  });

  test('a segment with many deleted vectors is built anew', async () => {
    const spaceId = await world.space();
    const gone = await grow(spaceId, 'aaaa');
    await grow(spaceId, 'bbbb');
    await promote();
    await world.memory('deleteMemory', { memoryId: gone });
    const numbers = async () => {
      await promote();
      return (await placesOf(spaceId)).layout.segments;
    };
    // The database reports deleted rows a second later.
    await expect.poll(numbers, { timeout: 20_000 }).toEqual([{ number: 2, state: 'INDEXED' }]);
    expect(await placesOf(spaceId)).toMatchObject({ segments: [50], counted: 50 });
  });

  test('keeps nothing of memories that are deleted while their vectors enter the index', async () => {
    const spaceId = await world.space();
    await grow(spaceId, 'aaaa');
    await grow(spaceId, 'bbbb');
    await promote();
    const [kept = '', ...gone] = await Promise.all(['cccc', 'dddd'].map((prefix) => grow(spaceId, prefix)));
    const deleting = gone.map(async (memoryId, index) => {
      await sleep(index * 10);
      await world.memory('deleteMemory', { memoryId });
    });
    await Promise.all([promote(), ...deleting]);
    await promote();
    const { tables, segments, ...places } = await placesOf(spaceId);
    expect(places).toMatchObject({ shared: 0, counted: 150 });
    expect(segments.reduce((sum, count) => sum + count, 0)).toBe(150);
    const of = tables.map((table) => sql(world.db, `select from ${table} where memory_id = $1`, [kept]));
    expect((await Promise.all(of)).flat()).toHaveLength(50);
  });
});
