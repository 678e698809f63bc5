import { beforeAll, expect, test, vi } from 'vitest';
import { spacePartition, vectorTable } from '../../../src/server/store/vector-tables.ts';
import { ProviderType } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { failure, sql, useWorld } from '../identity.fixture.ts';

const world = useWorld();
let embedderId = '';
beforeAll(async () => {
  const providerType = ProviderType.BUILTIN;
  const request = { displayName: 'Words', providerType, modelIdentifier: 'lexical-v1', dimensionality: 2 };
  embedderId = (await world.call('createEmbedder', request, world.ada)).embedderId;
});

const TABLES = ['memory', 'chunk', 'text_part', 'content_part', 'job', 'space_embedder', 'space'];

/** A space with one memory and a row in every table that belongs to it. */
async function filledSpace(name: string): Promise<string> {
  const { spaceId } = await world.call('createSpace', { name, embedderId }, world.ada);
  const statements = [
    `insert into memory (space_id, memory_id, content_id, content_length, content_sha256, content_type, created_at,
       updated_at, created_by_id, updated_by_id)
     values ($1, $1, $1, 1, '', 'text/plain', now(), now(), $1, $1)`,
    `insert into chunk (space_id, memory_id, sequence, chunk_id, text, start_offset, end_offset, vector_status,
       created_at, updated_at)
     values ($1, $1, 0, $1, 'x', 0, 1, 'COMPLETED', now(), now())`,
    `insert into text_part (space_id, memory_id, part, start_offset, data) values ($1, $1, 0, 0, 'x')`,
    `insert into content_part (space_id, content_id, part, data) values ($1, $1, 0, 'x')`,
    `with made as (
       insert into job (job_type, owner_id, space_id, memory_id, status, max_attempts, run_at, created_at, updated_at)
       values ('INGEST', $1, $1, $1, 'PENDING', 3, now(), now(), now()) returning job_id)
     insert into job_attempt (job_id, started_at, worker_id) select job_id, now(), 'w' from made`,
    `insert into ${vectorTable(embedderId)} (space_id, memory_id, sequence, embedding) values ($1, $1, 0, '[1,0]')`,
  ];
  for (const statement of statements) await sql(world.db, statement, [spaceId]);
  return spaceId;
}

async function rowsOf(spaceId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of [...TABLES, vectorTable(embedderId)]) {
    counts[table] = (await sql(world.db, `select from ${table} where space_id = $1`, [spaceId])).length;
  }
  return counts;
}

const all = (count: number) => Object.fromEntries([...TABLES, vectorTable(embedderId)].map((table) => [table, count]));

test('a space is deleted with everything in it, and nothing of another space is', async () => {
  const [gone, kept] = [await filledSpace('gone'), await filledSpace('kept')];
  expect(await rowsOf(gone)).toEqual(all(1));
  expect(await failure(world.call('deleteSpace', { spaceId: gone }, world.bob))).toMatch(/DELETE_SPACE_ANY$/);
  await world.call('deleteSpace', { spaceId: gone }, world.ada);
  expect(await rowsOf(gone)).toEqual(all(0));
  expect(await rowsOf(kept)).toEqual(all(1));
  const attempts = await sql(world.db, 'select from job_attempt where job_id not in (select job_id from job)');
  expect(attempts).toEqual([]);
  expect(await failure(world.call('deleteSpace', { spaceId: gone }, world.ada))).toBe(
    `NOT_FOUND | Space not found: ${gone}`,
  );
});

test('a partition of its own is dropped, and vectors of other spaces stay', async () => {
  const kept = await filledSpace('small');
  const { spaceId } = await world.call('createSpace', { name: 'large', embedderId }, world.ada);
  const parent = vectorTable(embedderId);
  const own = spacePartition(embedderId, spaceId);
  await world.db.main.script(`
    create table ${own.table} partition of ${parent} for values in ('${spaceId}') partition by list (indexed);
    create table ${own.fresh} partition of ${own.table} for values in (false);
    create table ${own.hnsw} partition of ${own.table} for values in (true);
    create index ${own.index} on ${own.hnsw} using hnsw (embedding halfvec_ip_ops)`);
  const insert = `insert into ${parent} (space_id, indexed, memory_id, sequence, embedding)
    values ($1, $2, $1, 0, '[0,1]') returning tableoid::regclass::text as home`;
  expect(await sql(world.db, insert, [spaceId, true])).toEqual([{ home: own.hnsw }]);
  expect(await sql(world.db, insert, [spaceId, false])).toEqual([{ home: own.fresh }]);
  await world.call('deleteSpace', { spaceId }, world.ada);
  const left = await sql(world.db, 'select from pg_class where relname = any($1)', [Object.values(own)]);
  expect(left).toEqual([]);
  expect((await rowsOf(kept))[parent]).toBe(1);
});

test('concurrent writes of a worker are deleted too', async () => {
  const spaceId = await filledSpace('written to');
  const vectors = vectorTable(embedderId);
  const run = { name: 'test', prepare: false } as const;
  let deletion: Promise<unknown> | undefined;
  await world.db.background.withTx(async (tx) => {
    await tx.query({ ...run, text: 'select from memory where space_id = $1 for no key update' }, [spaceId]);
    deletion = world.call('deleteSpace', { spaceId }, world.ada);
    // On the embedded engine the deletion waits for the one session instead of a lock.
    const waits = {
      ...run,
      text: `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    };
    if (!world.db.capabilities.embedded) {
      await vi.waitUntil(async () => (await tx.query(waits)).length > 0, { timeout: 10_000 });
    }
    await tx.execute(
      {
        ...run,
        text: `insert into ${vectors} (space_id, memory_id, sequence, embedding) values ($1, $1, 1, '[1,0]')`,
      },
      [spaceId],
    );
  });
  await deletion;
  expect(await rowsOf(spaceId)).toEqual(all(0));
});
