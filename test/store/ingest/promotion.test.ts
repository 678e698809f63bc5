import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { promoteOnce } from '../../../src/server/service/ingest/promotion-task.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { spacePartition, vectorTable } from '../../../src/server/store/vector-tables.ts';
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

interface Place {
  table: string;
  count: number;
}

async function placesOf(spaceId: string) {
  const [row] = await sql<{ embedderId: string; counted: number; own: boolean }>(
    world.db,
    `select embedder_id as "embedderId", vector_count as counted, own_partition as own
     from space_embedder where space_id = $1`,
    [spaceId],
  );
  if (row === undefined) throw new Error('the space has no embedder');
  const places = await sql<Place>(
    world.db,
    `select tableoid::regclass::text as table, count(*) as count from ${vectorTable(row.embedderId)}
     where space_id = $1 group by 1`,
    [spaceId],
  );
  const names = spacePartition(row.embedderId, spaceId);
  const at = (table: string) => places.find((place) => place.table === table)?.count ?? 0;
  return {
    ...row,
    names,
    shared: at(`${vectorTable(row.embedderId)}_shared`),
    fresh: at(names.fresh),
    hnsw: at(names.hnsw),
  };
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

describe('a growing space', () => {
  test('stays in the shared partition while it is small', async () => {
    const spaceId = await world.space();
    await world.remember(spaceId, 'one text', { waitMs: 30_000 });
    await promote();
    expect(await placesOf(spaceId)).toMatchObject({ own: false, shared: 1, fresh: 0, hnsw: 0, counted: 1 });
  });

  test('gets a partition and an index; inserts, deletes and searches stay correct', async () => {
    const spaceId = await world.space();
    const neighbor = await world.space();
    await world.remember(neighbor, 'another text', { waitMs: 30_000 });
    const first = await grow(spaceId, 'aaaa');
    await grow(spaceId, 'bbbb');
    await promote();
    const grown = await placesOf(spaceId);
    expect(grown).toMatchObject({ own: true, shared: 0, fresh: 0, hnsw: 100, counted: 100 });
    const built = await index(grown.names.index);
    expect(built?.valid).toBe(true);
    expect(built?.definition).toMatch(/using hnsw \(embedding halfvec_ip_ops\) with \(m='16', ef_construction='64'\)/i);
    expect(await placesOf(neighbor)).toMatchObject({ own: false, shared: 1 });

    await grow(spaceId, 'cccc');
    expect(await placesOf(spaceId)).toMatchObject({ fresh: 50, hnsw: 100, counted: 150 });
    await promote();
    expect(await placesOf(spaceId)).toMatchObject({ fresh: 0, hnsw: 150 });

    await world.memory('deleteMemory', { memoryId: first });
    expect(await placesOf(spaceId)).toMatchObject({ counted: 100, fresh: 0, hnsw: 100 });

    await world.call('deleteSpace', { spaceId }, world.ada);
    const left = await sql<{ name: string | null }>(world.db, 'select to_regclass($1)::text as name', [
      grown.names.table,
    ]);
    expect(left).toEqual([{ name: null }]);
    expect(await placesOf(neighbor)).toMatchObject({ own: false, shared: 1 });
  });

  test('two concurrent servers move it once', async () => {
    const spaceId = await world.space();
    await grow(spaceId, 'aaaa');
    await grow(spaceId, 'bbbb');
    await Promise.allSettled([promote(), promote()]);
    await promote();
    const grown = await placesOf(spaceId);
    expect(grown).toMatchObject({ own: true, shared: 0, fresh: 0, hnsw: 100 });
    expect((await index(grown.names.index))?.valid).toBe(true);
  });

  test('keeps nothing of memories that are deleted while their vectors enter the index', async () => {
    const spaceId = await world.space();
    await grow(spaceId, 'aaaa');
    await grow(spaceId, 'bbbb');
    await promote();
    const added = await Promise.all(['cccc', 'dddd', 'eeee', 'ffff'].map((prefix) => grow(spaceId, prefix)));
    const [kept = '', ...gone] = added;
    const deleting = gone.map(async (memoryId, index) => {
      await sleep(index * 10);
      await world.memory('deleteMemory', { memoryId });
    });
    await Promise.all([promote(), ...deleting]);
    await promote();
    expect(await placesOf(spaceId)).toMatchObject({ fresh: 0, hnsw: 150, counted: 150 });
    const of = await sql(world.db, `select from ${(await placesOf(spaceId)).names.hnsw} where memory_id = $1`, [kept]);
    expect(of).toHaveLength(50);
  });

  test('accepts writes while it is moved', async () => {
    const spaceId = await world.space();
    await grow(spaceId, 'aaaa');
    await grow(spaceId, 'bbbb');
    const writing = Array.from({ length: 10 }, (_, number) => world.remember(spaceId, `text ${number}`));
    await promote();
    for (const { memoryId } of await Promise.all(writing)) {
      expect(statusOf(await world.processed(memoryId))).toBe('COMPLETED');
    }
    const grown = await placesOf(spaceId);
    expect(grown).toMatchObject({ own: true, shared: 0, counted: 110 });
    expect(grown.fresh + grown.hnsw).toBe(110);
  });
});
