import { expect, test } from 'vitest';
import { LeaseLost } from '../../../src/server/service/ingest/failed-attempt.ts';
import { DatabaseHealth, keepLeases } from '../../../src/server/service/ingest/lease.ts';
import type { Queryable } from '../../../src/server/store/db.ts';
import { claimJobs } from '../../../src/server/store/job-claim.ts';
import { renewLeases } from '../../../src/server/store/jobs.ts';
import { signal, sql } from '../identity.fixture.ts';
import { useMemoryWorld } from '../memory.fixture.ts';

const world = useMemoryWorld();
const LEASE_MS = 60_000;

const lock = (tx: Queryable, jobId: number | undefined) =>
  tx.query({ name: 'test.lock_job', text: 'select from job where job_id = $1 for update' }, [jobId]);

/** All jobs that are due. */
const claimed = () =>
  claimJobs(world.db.background, {
    workerId: 'w',
    leaseToken: crypto.randomUUID(),
    leaseMs: LEASE_MS,
    takesLost: false,
    most: 64,
    smallBytes: 4096,
  });

test('renewing leases waits for no job that others have locked, so that both cannot wait for each other', async () => {
  const spaceId = await world.space();
  for (const text of ['one', 'two', 'three']) await world.remember(spaceId, text);
  const { background, main } = world.db;
  const jobs = await claimed();
  await sql(world.db, 'update job set lease_until = now() where space_id = $1', [spaceId]);
  const [, second] = jobs;
  await main.withTx(async (deletion) => {
    await lock(deletion, second?.jobId);
    expect(await renewLeases(background, jobs, LEASE_MS, { timeoutMs: 3000 })).toEqual({ held: 3, renewed: 2 });
  });
  const rows = await sql<{ renewed: boolean }>(
    world.db,
    'select lease_until > now() as renewed from job where space_id = $1 order by job_id = $2 desc',
    [spaceId, second?.jobId],
  );
  expect(rows.map(({ renewed }) => renewed)).toEqual([false, true, true]);
});

test('renewing leases says that none is held when all jobs were taken over, even while they are locked', async () => {
  const spaceId = await world.space();
  await world.remember(spaceId, 'one');
  const { background, main } = world.db;
  const jobs = await claimed();
  await main.withTx(async (tx) => {
    await lock(tx, jobs[0]?.jobId);
    expect(await renewLeases(background, jobs, LEASE_MS)).toEqual({ held: 1, renewed: 0 });
  });
  await sql(world.db, 'update job set lease_token = gen_random_uuid() where space_id = $1', [spaceId]);
  expect(await renewLeases(background, jobs, LEASE_MS)).toEqual({ held: 0, renewed: 0 });
});

test('a lease whose job is locked at a renewal is kept as renewed late, and lost only when the job is taken over', async () => {
  const spaceId = await world.space();
  await world.remember(spaceId, 'one');
  const { background, main } = world.db;
  const jobs = await claimed();
  const leaseMs = 1500;
  const database = new DatabaseHealth(leaseMs, 0);
  const lease = keepLeases({ pool: background, database, leaseMs }, jobs, signal);
  try {
    await main.withTx(async (tx) => {
      await lock(tx, jobs[0]?.jobId);
      await expect.poll(() => lease.wasRenewalLate(), { timeout: 10_000 }).toBe(true);
    });
    expect(lease.signal.aborted).toBe(false);
    await sql(world.db, 'update job set lease_token = gen_random_uuid() where space_id = $1', [spaceId]);
    await expect.poll(() => lease.signal.reason, { timeout: 10_000 }).toBeInstanceOf(LeaseLost);
  } finally {
    lease.release();
  }
});
