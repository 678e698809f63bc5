import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { purgeJobs } from '../../../src/server/service/admin/handlers.ts';
import { newId } from '../../../src/server/service/resources.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { PurgeBackgroundJobsRequestSchema } from '../../../src/shared/gen/service/v1/admin_pb.ts';
import { BackgroundJobStatus } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { timestampFromMs } from '../../../src/shared/time.ts';
import { type KeptDatabase, takeDatabase } from '../../support/kept-database.ts';

const HOUR_MS = 3_600_000;
const { BACKGROUND_JOB_FAILED, BACKGROUND_JOB_SUCCEEDED } = BackgroundJobStatus;
const spaceId = newId();
const { signal } = new AbortController();
let database: KeptDatabase;
let db: Db;

beforeAll(async () => {
  database = await takeDatabase();
  db = await database.connect();
  const user = newId();
  await db.main.script(`
    insert into app_user values ('${user}', 'a@example.org', 'a', null, 'USER', now(), now());
    insert into space (space_id, owner_id, name, chunking_config, created_at, updated_at, created_by_id, updated_by_id)
      values ('${spaceId}', '${user}', 's', '{}', now(), now(), '${user}', '${user}')`);
});
afterAll(() => database.drop());
beforeEach(() => db.main.script('delete from job; delete from memory'));

/** A memory in that processing status. */
async function memory(status: string): Promise<string> {
  const id = newId();
  await db.main.script(`insert into memory (space_id, memory_id, content_id, content_length, content_sha256, content_type,
      processing_status, created_at, updated_at, created_by_id, updated_by_id)
    values ('${spaceId}', '${id}', '${id}', 0, '', 'text/plain', '${status}', now(), now(), '${id}', '${id}')`);
  return id;
}

/** Jobs of a memory with two attempts each, `hours` after their end. */
async function jobs(memoryId: string, status: string, hours: number, count = 1): Promise<void> {
  await db.main.script(`
    with made as (
      insert into job (job_type, owner_id, space_id, memory_id, status, max_attempts, run_at, created_at,
        updated_at)
      select 'PROCESS', '${spaceId}', '${spaceId}', '${memoryId}', '${status}', 5, now(), now(), now() - interval '${hours} hours'
      from generate_series(1, ${count}) returning job_id
    ) insert into job_attempt (job_id, started_at, worker_id) select job_id, now(), 'w' from made, generate_series(1, 2)`);
}

/** Purges what is older than two hours; the three numbers of the answer. */
async function purge(request: MessageInitShape<typeof PurgeBackgroundJobsRequestSchema> = {}): Promise<number[]> {
  const olderThan = timestampFromMs(Date.now() - 2 * HOUR_MS);
  const message = Object.assign(create(PurgeBackgroundJobsRequestSchema, { olderThan }), request);
  const { jobsPurged, attemptsPurged, referencesPurged } = await purgeJobs(db.background, message, { signal });
  return [jobsPurged, attemptsPurged, referencesPurged].map(Number);
}

async function left(): Promise<Record<string, number>> {
  const text = `select status, count(*) from job group by status union all select 'attempts', count(*) from job_attempt`;
  const rows = await db.main.query<{ status: string; count: number }>({ name: 'test.left', text });
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

test('deletes finished jobs that are old enough, of the given statuses, with their attempts', async () => {
  const id = await memory('COMPLETED');
  for (const status of ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED']) await jobs(id, status, 3);
  await jobs(id, 'FAILED', 1);
  expect(await purge({ statuses: [BACKGROUND_JOB_FAILED, BACKGROUND_JOB_FAILED] })).toEqual([1, 2, 1]);
  expect(await purge()).toEqual([2, 4, 2]);
  expect(await purge()).toEqual([0, 0, 0]);
  expect(await left()).toEqual({ PENDING: 1, RUNNING: 1, FAILED: 1, attempts: 6 });
});

test('keeps the jobs of memories that are yet to be processed', async () => {
  await jobs(await memory('PENDING'), 'SUCCEEDED', 3);
  await jobs(await memory('PROCESSING'), 'FAILED', 3);
  await jobs(await memory('FAILED'), 'FAILED', 3);
  expect(await purge()).toEqual([1, 2, 1]);
});

test('references are counted for memories that are still there', async () => {
  const id = await memory('COMPLETED');
  await jobs(id, 'SUCCEEDED', 3, 2);
  await jobs(newId(), 'SUCCEEDED', 4, 3);
  expect(await purge()).toEqual([5, 10, 2]);
});

test('a dry run counts the same and removes nothing, across batches', async () => {
  await jobs(newId(), 'SUCCEEDED', 3, 1200);
  await jobs(await memory('PENDING'), 'SUCCEEDED', 4, 600);
  expect(await purge({ dryRun: true })).toEqual([1200, 2400, 0]);
  expect(await purge({ dryRun: true, limit: 700n })).toEqual([700, 1400, 0]);
  expect(await left()).toEqual({ SUCCEEDED: 1800, attempts: 3600 });
  expect(await purge({ limit: 700n })).toEqual([700, 1400, 0]);
  expect(await purge()).toEqual([500, 1000, 0]);
  expect(await left()).toEqual({ SUCCEEDED: 600, attempts: 1200 });
});

test('deletes the oldest first', async () => {
  await jobs(newId(), 'SUCCEEDED', 3);
  await jobs(newId(), 'FAILED', 5);
  expect(await purge({ limit: 1n })).toEqual([1, 2, 0]);
  expect(await left()).toEqual({ SUCCEEDED: 1, attempts: 2 });
});

test('concurrent purges share the jobs', async () => {
  await jobs(newId(), 'SUCCEEDED', 3, 3000);
  const answers = await Promise.all([purge(), purge(), purge({ statuses: [BACKGROUND_JOB_SUCCEEDED] })]);
  const sums = [0, 1, 2].map((figure) => answers.reduce((sum, answer) => sum + (answer[figure] ?? 0), 0));
  expect(sums).toEqual([3000, 6000, 0]);
  expect(await left()).toEqual({ attempts: 0 });
});

test('a client abort stops it', async () => {
  await jobs(newId(), 'SUCCEEDED', 3);
  const request = create(PurgeBackgroundJobsRequestSchema, { olderThan: timestampFromMs(Date.now() - 2 * HOUR_MS) });
  await expect(purgeJobs(db.background, request, { signal: AbortSignal.abort() })).rejects.toThrow();
  expect(await left()).toEqual({ SUCCEEDED: 1, attempts: 2 });
});
