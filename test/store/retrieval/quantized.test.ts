import { beforeAll, expect, test, vi } from 'vitest';
import { selectVectorLayout } from '../../../src/server/store/vector-layout.ts';
import { segmentIndex, sharedPartition } from '../../../src/server/store/vector-tables.ts';
import { VectorQuantization } from '../../../src/shared/gen/service/v1/space_pb.ts';
import { openLog } from '../../support/log.ts';
import { signal, sql } from '../identity.fixture.ts';
import { promoteOnce } from '../promote.fixture.ts';
import { cosine, randomVectors, useRetrievalWorld } from './retrieval.fixture.ts';

const DIMENSIONS = 1024;
const MEMORIES = 400;
const LARGE = 300;
const QUESTIONS = 10;

const world = useRetrievalWorld(DIMENSIONS);
let embedder: string;
let spaceId: string;
let ids: string[];
const vectors = randomVectors(MEMORIES, DIMENSIONS, 21);
const questions = randomVectors(QUESTIONS, DIMENSIONS, 22);
const group = (n: number) => (n % 2 === 0 ? 'even' : 'odd');

beforeAll(async () => {
  embedder = await world.embedder();
  spaceId = await world.space([embedder], { vectorQuantization: VectorQuantization.BINARY });
  const memories = vectors.map((vector, n) => ({ chunks: [[vector]], metadata: { group: group(n) } }));
  ids = await world.add(spaceId, memories);
  await promote();
});

async function promote(): Promise<void> {
  const db = { ...world.db, capabilities: { ...world.db.capabilities, exactScanLimit: LARGE } };
  while (await promoteOnce({ db, log: openLog() }, signal));
}

async function find(question: Float32Array, more: object = {}, filter = '') {
  return await world.find([await world.plan(spaceId, filter)], { [embedder]: question }, { size: 10, ...more });
}

function nearest(question: Float32Array, isWanted: (n: number) => boolean = () => true): string[] {
  return vectors
    .map((vector, n) => ({ id: ids[n] ?? '', score: cosine(vector, question), n }))
    .filter(({ n }) => isWanted(n))
    .sort((a, b) => b.score - a.score)
    .slice(0, 10)
    .map(({ id }) => id);
}

/** The share of the wanted ones that were found, over all questions. */
async function recall(filter = '', isWanted?: (n: number) => boolean): Promise<number> {
  let found = 0;
  for (const question of questions) {
    const wanted = new Set(nearest(question, isWanted));
    const { chunks } = await find(question, {}, filter);
    expect(chunks).toHaveLength(10);
    found += chunks.filter(({ memoryId }) => wanted.has(memoryId)).length;
  }
  return found / (10 * QUESTIONS);
}

test('a quantized space has an index of signs', async () => {
  const key = { spaceId, embedderId: embedder };
  const layout = await selectVectorLayout(world.db.main, key);
  expect(layout?.segments).toEqual([{ number: 1, state: 'INDEXED', bits: DIMENSIONS }]);
  const [index] = await sql<{ definition: string }>(world.db, 'select pg_get_indexdef(to_regclass($1)) as definition', [
    segmentIndex(key, 1),
  ]);
  expect(index?.definition).toMatch(/USING hnsw \(.*binary_quantize\(embedding\).*bit\(1024\).* bit_hamming_ops\)/);
});

test('is searched through it, among twice as many candidates, with high recall', async () => {
  expect((await find(questions[0] ?? new Float32Array())).scans).toEqual(['hnsw 200']);
  expect(await recall()).toBeGreaterThan(0.95);
});

test.each(['', `CAST(val('$.group') AS TEXT) = 'odd'`])('the search can use the index (filter: %s)', async (filter) => {
  const searching = vi.spyOn(world.db.main, 'pipelined');
  await find(questions[0] ?? new Float32Array(), {}, filter);
  const [, statement, values = []] = searching.mock.calls[0] ?? [];
  searching.mockRestore();
  const plan = await world.db.main.withTx(async (tx) => {
    // So few vectors are read faster without it.
    await tx.script('set local enable_seqscan to off');
    const explained = { name: 'test_plan', text: `explain ${statement?.text}`, prepare: false } as const;
    return await tx.query<Record<'QUERY PLAN', string>>(explained, values);
  });
  const index = segmentIndex({ spaceId, embedderId: embedder }, 1);
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain(`Index Scan using ${index} `);
});

test('the scores are those of the whole vectors, best first', async () => {
  const [question = new Float32Array()] = questions;
  const { chunks } = await find(question);
  for (const { memoryId, score } of chunks) {
    expect(score).toBeCloseTo(cosine(vectors[ids.indexOf(memoryId)] ?? question, question), 2);
  }
  const scores = chunks.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
});

test('a filter that many pass is applied during the walk', async () => {
  const odd = `CAST(val('$.group') AS TEXT) = 'odd'`;
  const chunks = (count: number) =>
    sql(world.db, 'update memory set chunk_count = $1 where space_id = $2', [count, spaceId]);
  // Taken for more than are read one by one.
  await chunks(100);
  const { scans } = await find(questions[0] ?? new Float32Array(), {}, odd);
  const share = await recall(odd, (n) => n % 2 === 1);
  await chunks(1);
  expect(scans).toEqual(['hnsw 200']);
  expect(share).toBeGreaterThan(0.95);
});

test('hidden memories leave the result full', async () => {
  const [question = new Float32Array()] = questions;
  const hidden = nearest(question);
  const become = (status: string) =>
    sql(world.db, 'update memory set processing_status = $1 where memory_id = any ($2::uuid[])', [status, hidden]);
  await become('PENDING');
  const { chunks } = await find(question);
  await become('COMPLETED');
  expect(chunks).toHaveLength(10);
  expect(chunks.filter(({ memoryId }) => hidden.includes(memoryId))).toEqual([]);
});

test('more results than ef_search are found', async () => {
  const { chunks } = await find(questions[0] ?? new Float32Array(), { size: 350 });
  expect(new Set(chunks.map(({ memoryId }) => memoryId)).size).toBe(350);
});

test('later inserts are found at once, and then enter the index', async () => {
  const [question = new Float32Array()] = randomVectors(1, DIMENSIONS, 23);
  const [added] = await world.add(spaceId, [{ chunks: [[question]] }]);
  expect((await find(question)).chunks[0]?.memoryId).toBe(added);
  await promote();
  expect(await sql(world.db, `select 1 from ${sharedPartition(embedder)} where memory_id = $1`, [added])).toEqual([]);
  expect((await find(question)).chunks[0]?.memoryId).toBe(added);
  await world.db.main.script(`delete from memory where memory_id = '${added}'`);
});

test('what replaces its index has signs, too', async () => {
  const more = randomVectors(LARGE + 50, DIMENSIONS, 24);
  await world.add(
    spaceId,
    more.map((vector) => ({ chunks: [[vector]] })),
  );
  await promote();
  const layout = await selectVectorLayout(world.db.main, { spaceId, embedderId: embedder });
  // With several sessions the new ones become a segment, and both are merged into a third.
  const number = world.db.capabilities.sessions === 'many' ? 3 : 1;
  expect(layout?.segments).toEqual([{ number, state: 'INDEXED', bits: DIMENSIONS }]);
  const [question = new Float32Array()] = more;
  expect((await find(question)).chunks[0]?.score).toBeCloseTo(1, 2);
});
