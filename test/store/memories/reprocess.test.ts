import { expect, test } from 'vitest';
import { createMemoryWriter } from '../../../src/server/service/ingest/write-memory.ts';
import { claimJobs } from '../../../src/server/store/job-claim.ts';
import { beginProcessing } from '../../../src/server/store/processing.ts';
import { selectRetrievableChunks } from '../../../src/server/store/retrieved-chunks.ts';
import { selectSpaceEmbedders } from '../../../src/server/store/space-embedders.ts';
import { vectorParts } from '../../../src/server/store/vector-layout.ts';
import { BackgroundJobStatus, type Memory } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { failure, signal, sql } from '../identity.fixture.ts';
import { read, statusOf, useMemoryWorld } from '../memory.fixture.ts';
import { promoteOnce } from '../promote.fixture.ts';

const CHUNKS = 12;
const chunkingConfig = { strategy: { case: 'recursive' as const, value: { chunkSize: 9 } } };

const world = useMemoryWorld();

const textOf = (prefix: string) =>
  Array.from({ length: CHUNKS }, (_, index) => `${prefix}${String(index).padStart(4, '0')}`).join(' ');

/** A processed memory. */
async function grown(spaceId: string, prefix: string): Promise<Memory> {
  const { memoryId } = await world.remember(spaceId, textOf(prefix), { chunkingConfig });
  const memory = await world.processed(memoryId);
  expect(statusOf(memory)).toBe('COMPLETED');
  return memory;
}

const again = (memoryId: string) => world.memory('reprocessMemory', { memoryId });

/** What is stored of a space, and what its counts say. */
async function stored(spaceId: string) {
  const [space] = await selectSpaceEmbedders(world.db.main, [spaceId]);
  if (space === undefined) throw new Error('the space has no embedder');
  const counts = vectorParts(space, '$1').map(({ table }) => `(select count(*) from ${table} where space_id = $1)`);
  const [row] = await sql<{ vectors: number; chunks: number }>(
    world.db,
    `select ${counts.join(' + ')} as vectors, (select count(*) from chunk where space_id = $1) as chunks`,
    [spaceId],
  );
  return { ...row, counted: space.vectorCount };
}

const visible = (spaceId: string, memoryId: string) =>
  selectRetrievableChunks(world.db.main, [{ spaceId, memoryId, sequence: 0 }]);

test('only a processed memory is queued, and hidden from retrieval until it is processed again', async () => {
  const spaceId = await world.space();
  const { memoryId } = await world.remember(spaceId, textOf('aaaa'), { chunkingConfig });
  const refusal = 'FAILED_PRECONDITION | The memory is being processed | processingStatus is';
  expect(await failure(again(memoryId))).toBe(`${refusal} PENDING`);
  await sql(world.db, `update memory set processing_status = 'PROCESSING' where memory_id = $1`, [memoryId]);
  expect(await failure(again(memoryId))).toBe(`${refusal} PROCESSING`);

  world.ingest.start();
  await world.processed(memoryId);
  expect(await visible(spaceId, memoryId)).toHaveLength(1);
  const before = await stored(spaceId);
  expect(before).toEqual({ vectors: CHUNKS, chunks: CHUNKS, counted: CHUNKS });
  // In a transaction that a worker cannot look into.
  await world.db.main
    .withTx(async (tx) => {
      await tx.execute({ name: 'test', text: `update memory set processing_status = 'PENDING'`, prepare: false });
      expect(await selectRetrievableChunks(tx, [{ spaceId, memoryId, sequence: 0 }])).toEqual([]);
      throw new Error('undo');
    })
    .catch(() => undefined);
  expect(statusOf(await again(memoryId))).toBe('PENDING');
  expect(statusOf(await world.processed(memoryId))).toBe('COMPLETED');
  expect(await visible(spaceId, memoryId)).toHaveLength(1);
  expect(await stored(spaceId)).toEqual(before);
  expect((await read(await world.source('getMemoryText', memoryId))).toString()).toBe(textOf('aaaa'));
});

test('vectors in a partition of their own are replaced, in the index and beside it', async () => {
  const spaceId = await world.space();
  const memories = [await grown(spaceId, 'aaaa'), await grown(spaceId, 'bbbb')];
  const small = { ...world.db, capabilities: { ...world.db.capabilities, exactScanLimit: 20 } };
  while (await promoteOnce({ db: small, log: world.deps.log }, signal));
  memories.push(await grown(spaceId, 'cccc'));
  const all = { vectors: 3 * CHUNKS, chunks: 3 * CHUNKS, counted: 3 * CHUNKS };
  expect(await stored(spaceId)).toEqual(all);
  for (const { memoryId } of memories) await again(memoryId);
  for (const { memoryId } of memories) expect(statusOf(await world.processed(memoryId))).toBe('COMPLETED');
  expect(await stored(spaceId)).toEqual(all);
});

test('content that can no longer be processed keeps no earlier chunk', async () => {
  const spaceId = await world.space();
  const { memoryId } = await grown(spaceId, 'aaaa');
  await sql(world.db, `update memory set content_type = 'application/x-thing' where memory_id = $1`, [memoryId]);
  await again(memoryId);
  expect(statusOf(await world.processed(memoryId))).toBe('FAILED');
  expect(await stored(spaceId)).toEqual({ vectors: 0, chunks: 0, counted: 0 });
  expect((await world.memory('listChunks', { scope: { case: 'memoryId', value: memoryId } })).chunks).toEqual([]);
});

test('a server that is killed during reprocessing leaves no duplicate and loses nothing', async () => {
  const spaceId = await world.space();
  const { memoryId } = await grown(spaceId, 'aaaa');
  await world.ingest.stop();
  const { db } = world;
  await again(memoryId);

  // As a worker goes that never comes back: claimed, begun, what was there before removed.
  const claim = { workerId: 'killed', leaseToken: crypto.randomUUID(), leaseMs: 60_000 };
  const [job] = await claimJobs(db.background, claim);
  if (job?.memoryId !== memoryId) throw new Error('the job was not there');
  const memory = await beginProcessing(db.background, job, { maxInlineBytes: 1_048_576 });
  expect(memory?.hasRemains).toBe(true);
  const writer = createMemoryWriter(db, job, signal);
  await writer.removeRemains(memory?.embedderIds ?? []);
  await writer.writeText({ part: 0, startOffset: 0, data: Buffer.from('half of') });
  expect(await stored(spaceId)).toEqual({ vectors: 0, chunks: 0, counted: 0 });
  expect(await failure(again(memoryId))).toMatch(/^FAILED_PRECONDITION /);
  await sql(db, `update job set lease_until = now() - interval '1 second' where job_id = $1`, [job.jobId]);

  world.workers().start();
  const done = await world.processed(memoryId);
  expect(statusOf(done)).toBe('COMPLETED');
  expect(await stored(spaceId)).toEqual({ vectors: CHUNKS, chunks: CHUNKS, counted: CHUNKS });
  expect((await read(await world.source('getMemoryText', memoryId))).toString()).toBe(textOf('aaaa'));
  const { latestJob, attempts = [] } = done.processingHistory ?? {};
  expect(latestJob).toMatchObject({ jobId: BigInt(job.jobId), status: BackgroundJobStatus.BACKGROUND_JOB_SUCCEEDED });
  expect(attempts.map(({ ok }) => ok)).toEqual([true, false, true]);
});
