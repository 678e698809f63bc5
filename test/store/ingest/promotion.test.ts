import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { promoteOnce } from '../../../src/server/service/ingest/promotion-task.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { selectSpaceEmbedders } from '../../../src/server/store/space-embedders.ts';
import { lockVectorLayouts } from '../../../src/server/store/vector-layout.ts';
import { copyVectors } from '../../../src/server/store/vector-merge.ts';
import {
  buildSegmentIndex,
  createSegment,
  markSegment,
  moveVectors,
} from '../../../src/server/store/vector-promotion.ts';
import { segmentIndex, segmentTable, sharedPartition } from '../../../src/server/store/vector-tables.ts';
import { deleteVectors } from '../../../src/server/store/vectors-write.ts';
import { testDatabaseKind } from '../../support/database.ts';
import { signal, sql } from '../identity.fixture.ts';
import { statusOf, useMemoryWorld } from '../memory.fixture.ts';

/** A space is large beyond this many vectors here. */
const LIMIT = 60;
const CHUNKS = 50;

const world = useMemoryWorld();
let small: Db;
beforeAll(async () => {
  small = { ...world.db, capabilities: { ...world.db.capabilities, exactScanLimit: LIMIT } };
  world.ingest.start();
});

const chunkingConfig = { strategy: { case: 'recursive' as const, value: { chunkSize: 9 } } };

/** Stores a memory of 50 chunks. */
async function grow(spaceId: string, prefix: string): Promise<string> {
  const words = Array.from({ length: CHUNKS }, (_, index) => `${prefix}${String(index).padStart(4, '0')}`);
  const { memoryId } = await world.remember(spaceId, words.join(' '), { chunkingConfig });
  expect(statusOf(await world.processed(memoryId))).toBe('COMPLETED');
  return memoryId;
}

async function promote(): Promise<void> {
  while (await promoteOnce({ db: small, log: world.deps.log }, signal));
}

/** How many vectors of a space are outside its segments and in them, and how many it counts. */
async function placesOf(spaceId: string) {
  const [space] = await selectSpaceEmbedders(world.db.main, [spaceId]);
  if (space === undefined) throw new Error('the space has no embedder');
  const { embedderId, layout, vectorCount: counted } = space;
  const count = async (table: string) => {
    const [row] = await sql<{ count: number }>(world.db, `select count(*) from ${table} where space_id = $1`, [
      spaceId,
    ]);
    return row?.count ?? 0;
  };
  const tables = layout.segments.map(({ number }) => segmentTable({ spaceId, embedderId }, number));
  const segments = await Promise.all(tables.map(count));
  return { embedderId, layout, tables, segments, counted, shared: await count(sharedPartition(embedderId)) };
}

async function index(name: string): Promise<{ valid: boolean; definition: string } | undefined> {
  const [row] = await sql<{ valid: boolean; definition: string }>(
    world.db,
    `select indisvalid as valid, pg_get_indexdef(indexrelid) as definition from pg_index
     where indexrelid = to_regclass($1)`,
    [name],
  );
  return row;
}

/** With one session there is one segment, which has its index from the start, and nothing happens beside a move. */
const onPostgres = test.runIf(testDatabaseKind() === 'postgres');

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
    while (await promoteOnce({ db: small, log: world.deps.log, observe }, signal));
    await promoteOnce({ db: small, log: world.deps.log, observe }, signal);
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

  onPostgres('gets a further segment where much comes at once, and one for all when there is time', async () => {
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

  onPostgres('a server that was killed after any step leaves what the next one finishes', async () => {
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

  onPostgres('deletes copies too, and goes on where a server was killed among them', async () => {
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

  onPostgres('an index is built anew while the segment is read', async () => {
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

  onPostgres('a segment is not replaced while a deletion counts on it', async () => {
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

  onPostgres('a segment with many deleted vectors is built anew', async () => {
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

  onPostgres('keeps nothing of memories that are deleted while their vectors enter the index', async () => {
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
