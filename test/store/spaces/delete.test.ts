import { beforeAll, expect, test, vi } from 'vitest';
import { createSegment } from '../../../src/server/store/vector-promotion.ts';
import { segmentIndex, segmentTable, vectorTable } from '../../../src/server/store/vector-tables.ts';
import { ProviderType } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { openLog } from '../../support/log.ts';
import { failure, signal, sql, useWorld } from '../identity.fixture.ts';
import { promoteOnce } from '../promote.fixture.ts';

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

test('segments of its own are dropped after it, and vectors of other spaces stay', async () => {
  const kept = await filledSpace('small');
  const { spaceId } = await world.call('createSpace', { name: 'large', embedderId }, world.ada);
  const key = { spaceId, embedderId };
  const space = { ...key, vectorCount: 1, lastSegment: 0, layout: { version: 0, segments: [] } };
  expect(await world.db.main.withTx((tx) => createSegment(tx, space, { state: 'INDEXED' }))).toBe(true);
  const own = segmentTable(key, 1);
  const insert = `insert into ${own} (space_id, indexed, memory_id, sequence, embedding) values ($1, true, $1, 0, '[0,1]')`;
  await sql(world.db, insert, [spaceId]);
  const left = () => sql(world.db, 'select from pg_class where relname = any($1)', [[own, segmentIndex(key, 1)]]);
  await promoteOnce({ db: world.db, log: openLog() }, signal);
  expect(await left()).toHaveLength(2);
  await world.call('deleteSpace', { spaceId }, world.ada);
  await promoteOnce({ db: world.db, log: openLog() }, signal);
  expect(await left()).toEqual([]);
  expect((await rowsOf(kept))[vectorTable(embedderId)]).toBe(1);
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
