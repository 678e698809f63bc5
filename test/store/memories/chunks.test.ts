import { beforeAll, expect, test } from 'vitest';
import type { Queryable } from '../../../src/server/store/db.ts';
import type { PagePosition } from '../../../src/server/store/list-query.ts';
import { type ChunkScope, selectChunkList } from '../../../src/server/store/memory-chunks.ts';
import { ProviderType } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { sql } from '../identity.fixture.ts';
import { useMemoryWorld } from '../memory.fixture.ts';

const MEMORIES = 200;
const CHUNKS = 50;

const world = useMemoryWorld();
let large: string;
beforeAll(async () => {
  large = await world.space();
  for (const spaceId of [await world.space(), large]) await write(spaceId, MEMORIES, CHUNKS, `'text'`);
  await sql(world.db, 'analyze');
});

/** Writes memories straight into the tables, each with chunks whose text is this expression. */
async function write(spaceId: string, memories: number, chunks: number, text: string): Promise<void> {
  await sql(
    world.db,
    `with made as (
       insert into memory (space_id, memory_id, content_id, content_length, content_sha256, content_type,
         processing_status, chunk_count, created_at, updated_at, created_by_id, updated_by_id)
       select $1, gen_random_uuid(), gen_random_uuid(), 0, ''::bytea, 'text/plain', 'COMPLETED', $3, now(), now(), $4, $4
       from generate_series(1, $2::int4) returning memory_id
     )
     insert into chunk (space_id, memory_id, sequence, chunk_id, text, start_offset, end_offset, vector_status,
       created_at, updated_at)
     select $1, memory_id, sequence, gen_random_uuid(), ${text}, 0, 1, 'COMPLETED', now(), now()
     from made, generate_series(0, $3 - 1) as sequence`,
    [spaceId, memories, chunks, world.ada.userId],
  );
}

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Plan[];
}

/** Every node of the plan that a page was read with. */
async function nodesOf(scope: ChunkScope, after: PagePosition | undefined): Promise<Plan[]> {
  let plan: Plan | undefined;
  const explaining: Queryable = {
    ...world.db.main,
    async query(statement, values) {
      const text = `explain (analyze, format json) ${statement.text}`;
      const [row] = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>(world.db, text, values);
      plan = row?.['QUERY PLAN'][0].Plan;
      return [];
    },
  };
  await selectChunkList(explaining, scope, { limit: 51, after, maxTextBytes: 8_388_608 });
  const nodes: Plan[] = [];
  const walk = (node: Plan) => {
    nodes.push(node);
    node.Plans?.forEach(walk);
  };
  if (plan !== undefined) walk(plan);
  return nodes;
}

test('a page of 10,000 chunks reads as many as it shows, along the primary key', async () => {
  const { rows } = await selectChunkList(
    world.db.main,
    { spaceId: large, memoryId: undefined },
    { limit: 5075, after: undefined, maxTextBytes: 8_388_608 },
  );
  const middle = rows.at(-1);
  if (middle === undefined) throw new Error('there are no chunks');
  const position = [middle.memoryId, middle.sequence];
  for (const after of [undefined, position]) {
    const nodes = await nodesOf({ spaceId: large, memoryId: undefined }, after);
    const scans = nodes.filter((node) => node['Relation Name'] === 'chunk');
    expect(scans).toMatchObject([{ 'Node Type': 'Index Scan', 'Index Name': 'chunk_pkey', 'Actual Rows': 51 }]);
    const memories = nodes.filter((node) => node['Relation Name'] === 'memory');
    expect(memories).toMatchObject([{ 'Actual Rows': 1 }]);
    const ofOne = await nodesOf({ spaceId: large, memoryId: middle.memoryId }, after);
    expect(ofOne.every((node) => node['Actual Rows'] <= CHUNKS)).toBe(true);
  }
});

test('all chunks of a space once, in pages', async () => {
  const seen: string[] = [];
  let nextToken: string | undefined;
  do {
    const more = nextToken === undefined ? {} : { nextToken };
    const scope = { case: 'spaceId' as const, value: large };
    const page = await world.memory('listChunks', { scope, maxResults: 500, ...more });
    expect(page.chunks).toHaveLength(500);
    seen.push(...page.chunks.map((chunk) => `${chunk.memoryId}/${String(chunk.chunkSequenceNumber).padStart(2, '0')}`));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  expect(seen).toHaveLength(MEMORIES * CHUNKS);
  expect(seen).toEqual([...new Set(seen)].sort());
});

/** How many chunks the pages of a space have. */
async function pageSizes(spaceId: string, includeVectors: boolean): Promise<number[]> {
  const sizes: number[] = [];
  let nextToken: string | undefined;
  do {
    const more = nextToken === undefined ? {} : { nextToken };
    const scope = { case: 'spaceId' as const, value: spaceId };
    const page = await world.memory('listChunks', { scope, maxResults: 500, includeVectors, ...more });
    sizes.push(page.chunks.length);
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return sizes;
}

test('a page ends early when its texts grow large', async () => {
  const spaceId = await world.space();
  await write(spaceId, 2, 2, `repeat('x', 3500000)`);
  expect(await pageSizes(spaceId, false)).toEqual([3, 1]);
});

test('a page ends early when its vectors grow large', async () => {
  const builtin = { displayName: 'Wide', providerType: ProviderType.BUILTIN, modelIdentifier: 'lexical-v1' };
  const wide = await world.call('createEmbedder', { ...builtin, dimensionality: 4000 }, world.ada);
  const spaceId = await world.space({ embedderId: wide.embedderId });
  await write(spaceId, 1, 300, `'text'`);
  expect(await pageSizes(spaceId, true)).toEqual([250, 50]);
  expect(await pageSizes(spaceId, false)).toEqual([300]);
});
