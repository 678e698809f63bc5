import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { SpacePlan } from '../../../src/server/service/retrieval/plan.ts';
import { selectVectorLayout, type VectorsKey } from '../../../src/server/store/vector-layout.ts';
import {
  buildSegmentIndex,
  createSegment,
  markSegment,
  moveVectors,
} from '../../../src/server/store/vector-promotion.ts';
import { segmentTable, sharedPartition } from '../../../src/server/store/vector-tables.ts';
import { openLog } from '../../support/log.ts';
import { signal, sql } from '../identity.fixture.ts';
import { promoteOnce } from '../promote.fixture.ts';
import { at, cosine, HNSW, randomVectors, useRetrievalWorld } from './retrieval.fixture.ts';

const DIMENSIONS = 16;
/** More than a filter may pass before the index is walked. */
const MEMORIES = 5600;
/** Nearer than all others, and in another group: a filter on the others' group has to walk past them. */
const NEAR = 300;
/** Where one session serves everybody, the last ones come into the index in slices, and those before in one cheap call. */
const AT_ONCE = MEMORIES - 300;

const world = useRetrievalWorld(DIMENSIONS);
let embedder: string;
let spaceId: string;
let ids: string[];
let vectors: Float32Array[];
beforeAll(async () => {
  embedder = await world.embedder();
  spaceId = await world.space([embedder]);
  vectors = [
    ...Array.from({ length: NEAR }, (_, n) => at(1 + n / 1000, DIMENSIONS)),
    ...randomVectors(MEMORIES - NEAR, DIMENSIONS, 5),
  ];
  const group = (n: number) => (n < NEAR ? 'near' : n % 1000 === 999 ? 'rare' : 'common');
  const memories = vectors.map((vector, n) => ({ chunks: [[vector]], metadata: { group: group(n) } }));
  ids = await world.add(spaceId, memories.slice(0, AT_ONCE));
  if (world.db.capabilities.sessions === 'one') await indexAtOnce({ spaceId, embedderId: embedder });
  ids.push(...(await world.add(spaceId, memories.slice(AT_ONCE))));
  await promote();
});

async function indexAtOnce(key: VectorsKey): Promise<void> {
  await segmentOf(key);
  await indexSegment(key);
}

/** Gives a space its first segment, with all its vectors and without an index. */
async function segmentOf(key: VectorsKey): Promise<void> {
  const space = { ...key, vectorCount: MEMORIES, lastSegment: 0, layout: { version: 0, segments: [] } };
  await world.db.background.withTx((tx) => createSegment(tx, space, { state: 'PLAIN' }));
  const vectors = { ...key, layout: await layoutOf(key) };
  await moveVectors(world.db.background, vectors, { number: 1, after: undefined, limit: MEMORIES });
}

async function indexSegment(key: VectorsKey): Promise<void> {
  await buildSegmentIndex(world.db.background, { ...key, number: 1 }, { parallel: true });
  const vectors = { ...key, layout: await layoutOf(key) };
  await markSegment(world.db.background, vectors, { number: 1, state: 'INDEXED' });
}

async function layoutOf(key: VectorsKey) {
  const layout = await selectVectorLayout(world.db.main, key);
  if (layout === undefined) throw new Error('there is no such space');
  return layout;
}

/** Gives every space that has grown past a low limit its segment and index. */
async function promote(exactScanLimit = 1000): Promise<void> {
  const db = { ...world.db, capabilities: { ...world.db.capabilities, exactScanLimit } };
  while (await promoteOnce({ db, log: openLog() }, signal));
}

async function find(query: Float32Array, more: object = {}, filter = '', plan?: SpacePlan) {
  return await world.find([plan ?? (await world.plan(spaceId, filter))], { [embedder]: query }, more);
}

const inGroup = (group: string) => `CAST(val('$.group') AS TEXT) = '${group}'`;

/** The ids of the nearest, from what the test knows. */
function nearest(query: Float32Array, count: number, from = 0): string[] {
  return vectors
    .map((vector, n) => ({ id: ids[n] ?? '', score: cosine(vector, query), n }))
    .filter(({ n }) => n >= from)
    .sort((a, b) => b.score - a.score)
    .slice(0, count)
    .map(({ id }) => id);
}

describe('a space with an index of its own', () => {
  test('is searched through the index with high recall', async () => {
    let right = 0;
    for (const query of randomVectors(20, DIMENSIONS, 6)) {
      const { chunks, scans } = await find(query, { size: 10 });
      expect(scans).toEqual(['hnsw 100']);
      const wanted = new Set(nearest(query, 10));
      right += chunks.filter(({ memoryId }) => wanted.has(memoryId)).length;
      expect(chunks.map(({ score }) => score)).toEqual(chunks.map(({ score }) => score).sort((a, b) => b - a));
    }
    expect(right / 200).toBeGreaterThan(0.9);
  });

  test('later inserts are found at once, merged with the index', async () => {
    const shared = sharedPartition(embedder);
    const [query = at(0)] = randomVectors(1, DIMENSIONS, 7);
    const [added] = await world.add(spaceId, [{ chunks: [[query]] }]);
    const fresh = await sql(world.db, `select 1 from ${shared} where memory_id = $1`, [added]);
    expect(fresh).toHaveLength(1);
    const { chunks, scans } = await find(query, { size: 10 });
    expect(scans).toEqual(['hnsw 100 + exact 1']);
    expect(chunks[0]?.memoryId).toBe(added);
    expect(new Set(chunks.map(({ memoryId }) => memoryId)).size).toBe(10);
    await sql(world.db, 'delete from memory where memory_id = $1', [added]);
    await sql(world.db, `delete from ${shared} where memory_id = $1`, [added]);
    await sql(world.db, 'update space_embedder set vector_count = vector_count - 1 where space_id = $1', [spaceId]);
  });

  test('a selective filter is answered by an exact scan', async () => {
    const [query = at(0)] = randomVectors(1, DIMENSIONS, 8);
    const rare = ids.filter((_, n) => n >= NEAR && n % 1000 === 999);
    const { chunks, scans, statuses } = await find(query, { size: 10 }, inGroup('rare'));
    expect(new Set(chunks.map(({ memoryId }) => memoryId))).toEqual(new Set(rare));
    expect(scans).toEqual([`exact ${rare.length}`]);
    expect(statuses).toEqual([]);
  });

  test('of equal hits that pass a selective filter the newest are returned', async () => {
    const equal = Array.from({ length: 8 }, (_, n) => ({
      chunks: [[at(90, DIMENSIONS)]],
      metadata: { group: 'equal' },
      createdAt: new Date(Date.UTC(2026, 0, 1 + ((n * 3) % 8))),
    }));
    const added = await world.add(spaceId, equal);
    const newest = [...added.keys()].sort((a, b) => ((b * 3) % 8) - ((a * 3) % 8)).map((n) => added[n]);
    for (const efSearch of [3, 100]) {
      const { chunks, scans } = await find(
        at(90, DIMENSIONS),
        { size: 3, hnsw: { ...HNSW, efSearch } },
        inGroup('equal'),
      );
      expect(scans).toEqual(['exact 8']);
      expect(chunks.map(({ memoryId }) => memoryId)).toEqual(newest.slice(0, 3));
    }
    await sql(world.db, 'delete from memory where memory_id = any ($1::uuid[])', [added]);
    await sql(world.db, `delete from ${sharedPartition(embedder)} where memory_id = any ($1::uuid[])`, [added]);
    await sql(world.db, 'update space_embedder set vector_count = vector_count - 8 where space_id = $1', [spaceId]);
  });

  test('an unselective filter uses the index, and the result is full', async () => {
    const hnsw = { ...HNSW, efSearch: 40 };
    const { chunks, scans, statuses } = await find(at(0, DIMENSIONS), { size: 20, hnsw }, inGroup('common'));
    // Where the graph has made an island of the near ones, everything is read after the walk.
    expect(scans).toHaveLength(1);
    expect(['hnsw 40', `hnsw 40, exact ${MEMORIES}`]).toContain(scans[0]);
    expect(statuses).toEqual([]);
    expect(chunks).toHaveLength(20);
    const near = new Set(ids.slice(0, NEAR));
    expect(chunks.filter(({ memoryId }) => near.has(memoryId))).toEqual([]);
  });

  test('an iterative scan that ends early says so', async () => {
    const hnsw = { ...HNSW, efSearch: 40, iterativeScan: 'off' as const };
    const { chunks, statuses } = await find(at(0, DIMENSIONS), { size: 20, hnsw }, inGroup('common'));
    expect(chunks.length).toBeLessThan(20);
    expect(statuses).toEqual(['VECTOR_SEARCH_PARTIAL']);
  });

  test('one that ends at maxScanTuples says so; one that was exhausted is followed by an exact scan', async () => {
    const rare = ids.filter((_, n) => n >= NEAR && n % 1000 === 999);
    const chunks = (count: number) =>
      sql(world.db, 'update memory set chunk_count = $1 where memory_id = any ($2::uuid[])', [count, rare]);
    // Taken for many, they are walked to; a walk can find no more than there are, wherever the graph leads it.
    await chunks(2000);
    const ask = (maxScanTuples: number) => {
      const hnsw = { ...HNSW, efSearch: 40, maxScanTuples };
      return find(at(0, DIMENSIONS), { size: 20, hnsw }, inGroup('rare'));
    };
    const [cut, whole] = [await ask(100), await ask(MEMORIES)];
    await chunks(1);
    expect(cut.chunks.length).toBeLessThanOrEqual(rare.length);
    expect([cut.scans, cut.statuses]).toEqual([['hnsw 40'], ['VECTOR_SEARCH_PARTIAL']]);
    expect(new Set(whole.chunks.map(({ memoryId }) => memoryId))).toEqual(new Set(rare));
    expect([whole.scans, whole.statuses]).toEqual([[`hnsw 40, exact ${MEMORIES}`], []]);
  });

  test('maxScanTuples bounds the scan of the index itself', async () => {
    // Among the many: around them the graph goes on everywhere.
    const [query = at(0)] = randomVectors(1, DIMENSIONS, 14);
    const table = segmentTable({ spaceId, embedderId: embedder }, 1);
    const text = `select count(*) as rows from (
      select 1 from ${table} v order by v.embedding <#> $1::halfvec limit 100000) walked`;
    const walked = async (maxScanTuples: number) => {
      const settings = {
        'hnsw.ef_search': 10,
        'hnsw.iterative_scan': 'relaxed_order',
        'hnsw.max_scan_tuples': maxScanTuples,
        enable_seqscan: 'off',
        enable_sort: 'off',
      };
      const [row] = await world.db.main.pipelined<{ rows: number }>(
        settings,
        { name: 'test_walk', text, prepare: false },
        [`[${query.join(',')}]`],
      );
      return row?.rows ?? 0;
    };
    const few = await walked(50);
    expect(few).toBeGreaterThan(0);
    expect(await walked(20_000)).toBeGreaterThan(few);
  });

  test('every hnsw option of a request is set in the searching session', async () => {
    const [query = at(0)] = randomVectors(1, DIMENSIONS, 12);
    const searching = vi.spyOn(world.db.main, 'pipelined');
    const hnsw = { efSearch: 41, iterativeScan: 'relaxed_order', maxScanTuples: 4321, scanMemMultiplier: 2.5 } as const;
    const { scans } = await find(query, { size: 5, hnsw });
    const [settings = {}] = searching.mock.calls[0] ?? [];
    searching.mockRestore();
    expect(scans).toEqual(['hnsw 41']);
    const names = Object.keys(settings).sort();
    const columns = names.map((name) => `current_setting('${name}') as "${name}"`);
    const statement = { name: 'test_settings', text: `select ${columns.join(', ')}` };
    expect(await world.db.main.pipelined(settings, statement)).toEqual([
      {
        'hnsw.ef_search': '41',
        'hnsw.iterative_scan': 'relaxed_order',
        'hnsw.max_scan_tuples': '4321',
        'hnsw.scan_mem_multiplier': '2.5',
      },
    ]);
  });

  test('hidden memories leave the result full', async () => {
    const hidden = ids.slice(0, NEAR);
    const become = (status: string) =>
      sql(world.db, 'update memory set processing_status = $1 where memory_id = any ($2::uuid[])', [status, hidden]);
    await become('PENDING');
    const { chunks } = await find(at(0, DIMENSIONS), { size: 20 });
    await become('COMPLETED');
    expect(chunks).toHaveLength(20);
    expect(chunks.filter(({ memoryId }) => hidden.includes(memoryId))).toEqual([]);
  });

  test('without a filter, a walk that ends early leaves the result full', async () => {
    const shown = ids.filter((_, n) => n >= NEAR && n % 1000 === 999);
    const hidden = ids.filter((id) => !shown.includes(id));
    const become = (status: string) =>
      sql(world.db, 'update memory set processing_status = $1 where memory_id = any ($2::uuid[])', [status, hidden]);
    await become('PENDING');
    // Far too few tuples to meet all that are shown.
    const hnsw = { ...HNSW, efSearch: 40, maxScanTuples: 100 };
    const { chunks, scans } = await find(at(0, DIMENSIONS), { size: shown.length, hnsw });
    await become('COMPLETED');
    expect(scans).toEqual([`hnsw 40, exact ${MEMORIES}`]);
    expect(new Set(chunks.map(({ memoryId }) => memoryId))).toEqual(new Set(shown));
  });

  test('the size may exceed ef_search', async () => {
    const { chunks } = await find(at(0, DIMENSIONS), { size: 1000, hnsw: { ...HNSW, efSearch: 10 } });
    expect(chunks).toHaveLength(1000);
  });

  test('a negative weight uses an exact scan', async () => {
    const plan = await world.plan(spaceId);
    const embedders = plan.embedders.map((item) => ({ ...item, weight: -1 }));
    const query = at(180, DIMENSIONS);
    const { chunks, scans } = await find(query, { size: 5 }, '', { ...plan, embedders });
    expect(scans[0]).toMatch(/^exact /);
    expect(chunks.every(({ memoryId }) => ids.indexOf(memoryId) < NEAR)).toBe(true);
  });
});

test('explain reports an exact scan before the index is built', async () => {
  const other = await world.space([embedder]);
  const key = { spaceId: other, embedderId: embedder };
  await world.add(
    other,
    randomVectors(3, DIMENSIONS, 11).map((vector) => ({ chunks: [[vector]] })),
  );
  await segmentOf(key);
  const scans = async () => (await find(at(0, DIMENSIONS), { size: 3 }, '', await world.plan(other))).scans;
  expect(await scans()).toEqual(['exact 3']);
  await indexSegment(key);
  expect(await scans()).toEqual(['hnsw 100']);
});

describe('a space that gets a segment while a retrieval runs', () => {
  test('is searched completely by a search that was planned before', async () => {
    const other = await world.space([embedder]);
    const moved = randomVectors(150, DIMENSIONS, 9);
    await world.add(
      other,
      moved.map((vector) => ({ chunks: [[vector]] })),
    );
    const before = await world.plan(other);
    expect(before.embedders[0]?.layout.segments).toEqual([]);
    await promote(100);
    const [query = at(0)] = moved;
    const { chunks } = await find(query, { size: 10 }, '', before);
    expect(chunks).toHaveLength(10);
    expect(chunks[0]?.score).toBeCloseTo(1, 2);
  });

  test('is scored completely by all embedders', async () => {
    const second = await world.embedder();
    const other = await world.space([embedder, second]);
    const moved = randomVectors(150, DIMENSIONS, 10);
    await world.add(
      other,
      moved.map((vector) => ({ chunks: [[vector, vector]] })),
    );
    const before = await world.plan(other);
    await promote(100);
    const [query = at(0)] = moved;
    for (const plan of [before, await world.plan(other)]) {
      const { chunks } = await world.find([plan], { [embedder]: query, [second]: query }, { size: 10 });
      expect(chunks).toHaveLength(10);
      expect(chunks[0]?.score).toBeCloseTo(2, 1);
    }
  });
});
