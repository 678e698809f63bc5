import { beforeAll, describe, expect, test, vi } from 'vitest';
import { sharedPartition } from '../../../src/server/store/vector-tables.ts';
import { testDatabaseKind } from '../../support/database.ts';
import { sql } from '../identity.fixture.ts';
import { at, cosine, type GivenMemory, randomVectors, useRetrievalWorld } from './retrieval.fixture.ts';

const world = useRetrievalWorld();
let embedder: string;
beforeAll(async () => {
  embedder = await world.embedder();
});

/** Memories of one chunk each, at these angles from the question. */
function single(...degrees: number[]): GivenMemory[] {
  return degrees.map((angle) => ({ chunks: [[at(angle)]] }));
}

const question = () => ({ [embedder]: at(0) });

describe('the exact scan', () => {
  test('no score exceeds 1', async () => {
    const spaceId = await world.space([embedder]);
    const vectors = randomVectors(200, 8, 3);
    await world.add(
      spaceId,
      vectors.map((vector) => ({ chunks: [[vector]] })),
    );
    const plan = await world.plan(spaceId);
    const best = await Promise.all(
      vectors.slice(0, 20).map((vector) => world.find([plan], { [embedder]: vector }, { size: 1 })),
    );
    for (const { chunks } of best) {
      expect(chunks[0]?.score).toBeCloseTo(1, 2);
      expect(chunks[0]?.score).toBeLessThanOrEqual(1);
    }
  });

  test('returns the nearest, best first, with the cosine as score', async () => {
    const spaceId = await world.space([embedder]);
    const vectors = randomVectors(500, 8, 1);
    const ids = await world.add(
      spaceId,
      vectors.map((vector) => ({ chunks: [[vector]] })),
    );
    const [query = at(0)] = randomVectors(1, 8, 2);
    const { chunks, scans } = await world.find([await world.plan(spaceId)], { [embedder]: query }, { size: 25 });
    const wanted = vectors
      .map((vector, index) => ({ memoryId: ids[index], score: cosine(vector, query) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 25);
    expect(chunks.map(({ memoryId }) => memoryId)).toEqual(wanted.map(({ memoryId }) => memoryId));
    for (const [index, { score }] of chunks.entries()) expect(score).toBeCloseTo(wanted[index]?.score ?? 0, 2);
    expect(scans).toEqual(['exact 500']);
  });

  test('sees one space only, however many share the table', async () => {
    const [one, other] = [await world.space([embedder]), await world.space([embedder])];
    const [mine] = await world.add(one, single(60));
    await world.add(other, single(0, 1, 2));
    const { chunks } = await world.find([await world.plan(one)], question());
    expect(chunks.map(({ memoryId }) => memoryId)).toEqual([mine]);
  });

  test('an empty space has no results', async () => {
    const found = await world.find([await world.plan(await world.space([embedder]))], question());
    expect(found).toEqual({ chunks: [], statuses: [], scans: ['exact 0'] });
  });
});

describe('equal scores', () => {
  const times = [3, 1, 5, 2, 4].map((day) => new Date(Date.UTC(2026, 0, day)));
  const equal = () => times.map((createdAt) => ({ chunks: [[at(10)], [at(10)]], createdAt }));

  /** The ids of memories, newest first, each as often as it has chunks. */
  const newestFirst = (ids: readonly string[]) => [2, 4, 0, 3, 1].flatMap((index) => [ids[index], ids[index]]);

  test.each([3, 9, 20])('the newer memory comes first, also when a size of %i separates equal scores', async (size) => {
    const spaceId = await world.space([embedder]);
    await world.add(spaceId, single(60));
    const ids = await world.add(spaceId, equal());
    const { chunks } = await world.find([await world.plan(spaceId)], question(), { size });
    expect(chunks.slice(0, 10).map(({ memoryId }) => memoryId)).toEqual(newestFirst(ids).slice(0, size));
  });

  test('chunks of one memory come by their id', async () => {
    const spaceId = await world.space([embedder]);
    await world.add(spaceId, [{ chunks: Array.from({ length: 30 }, () => [at(10)]) }]);
    const rows = await sql<{ sequence: number }>(
      world.db,
      'select sequence from chunk where space_id = $1 order by chunk_id limit 7',
      [spaceId],
    );
    const { chunks } = await world.find([await world.plan(spaceId)], question(), { size: 7 });
    expect(chunks.map(({ sequence }) => sequence)).toEqual(rows.map(({ sequence }) => sequence));
  });

  test('over several spaces the newest of all comes first', async () => {
    const spaces = [await world.space([embedder]), await world.space([embedder])];
    const ids: string[] = [];
    for (const [index, spaceId] of spaces.entries()) {
      const days = [1, 3, 5].map((day) => new Date(Date.UTC(2026, 0, day + index)));
      ids.push(
        ...(await world.add(
          spaceId,
          days.map((createdAt) => ({ chunks: [[at(10)]], createdAt })),
        )),
      );
    }
    const plan = await Promise.all(spaces.map((spaceId) => world.plan(spaceId)));
    const { chunks } = await world.find(plan, question(), { size: 3 });
    expect(chunks.map(({ memoryId }) => memoryId)).toEqual([ids[5], ids[2], ids[4]]);
  });
});

describe('exclusions', () => {
  test('hidden memories are excluded, and the result is still full', async () => {
    const spaceId = await world.space([embedder]);
    await world.add(spaceId, [
      { chunks: [[at(0)]], status: 'PENDING' },
      { chunks: [[at(1)]], status: 'PROCESSING' },
      { chunks: [[at(2)]], status: 'FAILED' },
      { chunks: [[at(3)]], expiresAt: new Date(Date.now() - 1000) },
    ]);
    const shown = await world.add(spaceId, [
      { chunks: [[at(10)]], expiresAt: new Date(Date.now() + 3_600_000) },
      ...single(20, 30, 40, 50),
    ]);
    const { chunks } = await world.find([await world.plan(spaceId)], question(), { size: 4 });
    expect(chunks.map(({ memoryId }) => memoryId)).toEqual(shown.slice(0, 4));
  });

  test('hidden memories of one space do not take the places of another', async () => {
    const [one, other] = [await world.space([embedder]), await world.space([embedder])];
    await world.add(
      one,
      single(0, 1, 2).map((memory) => ({ ...memory, status: 'PENDING' })),
    );
    const shown = await world.add(other, single(10, 20, 30));
    const plan = [await world.plan(one), await world.plan(other)];
    const { chunks } = await world.find(plan, question(), { size: 4 });
    expect(chunks.map(({ memoryId }) => memoryId)).toEqual(shown);
  });

  test('a memory in reprocessing is excluded, until it is COMPLETED again', async () => {
    const spaceId = await world.space([embedder]);
    const [first = '', second] = await world.add(spaceId, single(0, 10));
    const found = async () => (await world.find([await world.plan(spaceId)], question())).chunks.map((c) => c.memoryId);
    const become = (status: string) =>
      sql(world.db, 'update memory set processing_status = $2 where memory_id = $1', [first, status]);
    expect(await found()).toEqual([first, second]);
    await become('PENDING');
    expect(await found()).toEqual([second]);
    await become('COMPLETED');
    expect(await found()).toEqual([first, second]);
  });

  test('a filter leaves out what does not match, nearer or not', async () => {
    const spaceId = await world.space([embedder]);
    const rooms = ['attic', 'cellar', 'attic', 'cellar'];
    const ids = await world.add(
      spaceId,
      rooms.map((room, index) => ({ chunks: [[at(index)], [at(index + 0.5)]], metadata: { room } })),
    );
    const plan = await world.plan(spaceId, `CAST(val('$.room') AS TEXT) = 'cellar'`);
    const { chunks } = await world.find([plan], question(), { size: 3 });
    expect(chunks.map(({ memoryId }) => memoryId)).toEqual([ids[1], ids[1], ids[3]]);
    expect((await world.find([plan], question())).chunks).toHaveLength(4);
  });
});

describe('maxPerMemory', () => {
  const crowd = (from: number) => ({ chunks: Array.from({ length: 150 }, (_, n) => [at(from + n / 100)]) });

  test('lets other memories fill the size', async () => {
    const spaceId = await world.space([embedder]);
    const ids = await world.add(spaceId, [crowd(0), crowd(2), ...single(10, 20, 30)]);
    const { chunks } = await world.find([await world.plan(spaceId)], question(), { size: 6, maxPerMemory: 2 });
    expect(chunks.map(({ memoryId }) => memoryId)).toEqual([ids[0], ids[0], ids[1], ids[1], ids[2], ids[3]]);
  });

  test('returns fewer when there are no more', async () => {
    const spaceId = await world.space([embedder]);
    await world.add(spaceId, [crowd(0), ...single(10)]);
    const { chunks } = await world.find([await world.plan(spaceId)], question(), { size: 6, maxPerMemory: 1 });
    expect(chunks).toHaveLength(2);
  });

  test('a space with many chunks of one memory is not displaced by a worse one', async () => {
    const [crowded, worse] = [await world.space([embedder]), await world.space([embedder])];
    const near = await world.add(crowded, [crowd(0), ...single(10, 11)]);
    await world.add(worse, single(50, 51, 52, 53, 54));
    const plan = [await world.plan(crowded), await world.plan(worse)];
    const { chunks } = await world.find(plan, question(), { size: 3, maxPerMemory: 1 });
    expect(chunks.map(({ memoryId }) => memoryId)).toEqual(near);
  });
});

describe('several spaces and embedders', () => {
  test('spaces are merged by score', async () => {
    const [one, other] = [await world.space([embedder]), await world.space([embedder])];
    const a = await world.add(one, single(0, 20, 40));
    const b = await world.add(other, single(10, 30, 50));
    const plan = [await world.plan(one), await world.plan(other)];
    const { chunks } = await world.find(plan, question(), { size: 5 });
    expect(chunks.map(({ memoryId }) => memoryId)).toEqual([a[0], b[0], a[1], b[1], a[2]]);
  });

  test('the score is the weighted sum over all embedders, for the candidates of each', async () => {
    const second = await world.embedder();
    const spaceId = await world.space([embedder, { embedderId: second, weight: 0.5 }]);
    const vectors = randomVectors(400, 8, 3);
    const ids = await world.add(
      spaceId,
      Array.from({ length: 200 }, (_, n) => ({ chunks: [[vectors[n] ?? at(0), vectors[n + 200] ?? at(0)]] })),
    );
    const [one = at(0), two = at(0)] = randomVectors(2, 8, 4);
    const { chunks } = await world.find([await world.plan(spaceId)], { [embedder]: one, [second]: two }, { size: 50 });
    const score = (n: number) => cosine(vectors[n] ?? at(0), one) + 0.5 * cosine(vectors[n + 200] ?? at(0), two);
    for (const chunk of chunks) expect(chunk.score).toBeCloseTo(score(ids.indexOf(chunk.memoryId)), 2);
    expect(chunks.map((chunk) => chunk.score)).toEqual(chunks.map((chunk) => chunk.score).sort((a, b) => b - a));
    const best = ids.map((_, n) => score(n)).indexOf(Math.max(...ids.map((_, n) => score(n))));
    expect(chunks[0]?.memoryId).toBe(ids[best]);
  });

  test('a negative weight pushes candidates of the others down and brings none', async () => {
    const second = await world.embedder();
    const spaceId = await world.space([embedder, { embedderId: second, weight: -1 }]);
    const ids = await world.add(spaceId, [{ chunks: [[at(0), at(0)]] }, { chunks: [[at(30), at(90)]] }]);
    const found = await world.find([await world.plan(spaceId)], { [embedder]: at(0), [second]: at(0) });
    expect(found.chunks.map(({ memoryId }) => memoryId)).toEqual([ids[1], ids[0]]);
    expect(found.chunks[1]?.score).toBeCloseTo(0, 2);
    expect(found.chunks[0]?.score).toBeCloseTo(Math.cos(Math.PI / 6), 2);
    expect(found.scans).toEqual(['exact 2']);
  });

  test('with negative weights alone the farthest are best', async () => {
    const spaceId = await world.space([{ embedderId: embedder, weight: -2 }]);
    const ids = await world.add(spaceId, single(0, 170, 90, 120));
    const { chunks } = await world.find([await world.plan(spaceId)], question(), { size: 2 });
    expect(chunks.map(({ memoryId }) => memoryId)).toEqual([ids[1], ids[3]]);
    expect(chunks[0]?.score).toBeCloseTo(2 * Math.cos(Math.PI / 18), 2);
  });
});

describe('the timeout of a search', () => {
  test('ends every space that has not been searched by then', async () => {
    const spaceId = await world.space([embedder]);
    await world.add(spaceId, single(10));
    const plan = await world.plan(spaceId);
    const late = await world.find([plan], question(), { timeoutMs: 0 });
    expect(late).toMatchObject({ chunks: [], statuses: ['VECTOR_SEARCH_TIMEOUT'] });
  });

  test('is ten seconds by default, for all spaces together', async () => {
    const spaceIds = await Promise.all([world.space([embedder]), world.space([embedder])]);
    for (const spaceId of spaceIds) await world.add(spaceId, single(10));
    const plans = await Promise.all(spaceIds.map((spaceId) => world.plan(spaceId)));
    const asking = vi.spyOn(world.db.main, 'query');
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_800_000_000_000 });
    try {
      expect((await world.find(plans, question())).chunks).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
    const searches = asking.mock.calls.filter(([{ text }]) => text.includes('<#>'));
    asking.mockRestore();
    expect(searches.map(([, , options]) => options?.timeoutMs)).toEqual([10_000, 10_000]);
  });

  test('runs while other searches hold the permits', async () => {
    const spaceId = await world.space([embedder]);
    await world.add(spaceId, single(10));
    const plan = await world.plan(spaceId);
    const asking = vi.spyOn(world.db.main, 'query');
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    // More than there are places.
    const others = Array.from({ length: 100 }, () => world.db.searchSemaphore.run(() => held));
    const late = await world.find([plan], question(), { timeoutMs: 200 });
    expect(late).toMatchObject({ chunks: [], statuses: ['VECTOR_SEARCH_TIMEOUT'] });
    expect(asking.mock.calls.filter(([{ text }]) => text.includes('<#>'))).toEqual([]);
    asking.mockRestore();
    end();
    await Promise.all(others);
    expect((await world.find([plan], question())).chunks).toHaveLength(1);
  });

  // One session cannot hold up another. Left out rather than skipped: a skipped test counts as a failure.
  if (testDatabaseKind() === 'postgres')
    test('ends a search that is blocked in the database; others are served', async () => {
      const slow = await world.embedder();
      const spaces = await Promise.all([world.space([slow]), world.space([embedder])]);
      for (const spaceId of spaces) await world.add(spaceId, single(10));
      const plans = await Promise.all(spaces.map((spaceId) => world.plan(spaceId)));
      await world.db.background.withTx(async (tx) => {
        await tx.script(`lock table ${sharedPartition(slow)} in access exclusive mode`);
        const vectors = { ...question(), [slow]: at(0) };
        const { chunks, statuses } = await world.find(plans, vectors, { timeoutMs: 3000 });
        expect([chunks.length, statuses]).toEqual([1, ['VECTOR_SEARCH_TIMEOUT']]);
      });
      const after = await world.find(plans, { ...question(), [slow]: at(0) });
      expect([after.chunks.length, after.statuses]).toEqual([2, []]);
    });
});
