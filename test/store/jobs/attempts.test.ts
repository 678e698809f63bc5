import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Db, Pool, Statement } from '../../../src/server/store/db.ts';
import { commitInDoubt, deadlineExceeded } from '../../../src/server/store/errors.ts';
import { claimJobs } from '../../../src/server/store/job-claim.ts';
import { lockAttempts, uncountAttempt } from '../../../src/server/store/job-endings.ts';
import type { ClaimedJob } from '../../../src/server/store/jobs.ts';
import { beginProcessing } from '../../../src/server/store/processing.ts';
import { BackgroundJobStatus } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { sql } from '../identity.fixture.ts';
import { statusOf } from '../memory.fixture.ts';
import { useJobServers } from './job-servers.fixture.ts';

const servers = useJobServers({ workerParallelism: 1 });
const { start, remember, look, hold } = servers;

const NOT_BEGUN = 'The attempt had not begun; not counted as an attempt';
const TOO_SLOW = 'The database was too slow to renew the lease; not counted as an attempt';
const LOST = 'The worker was lost: its lease ran out';

const withLease = (jobLeaseS: number) => ({ settings: { ...servers.world.deps.settings, jobLeaseS } });
const used = (memoryId: string, attempts: number) =>
  sql(servers.world.db, 'update job set attempts = $2 where memory_id = $1', [memoryId, attempts]);
const runOut = (memoryId: string) =>
  sql(servers.world.db, `update job set lease_until = now() - interval '1 second' where memory_id = $1`, [memoryId]);

/** The database as a server sees it whose statements pass `around`, which may lose them or their answers. */
function seenThrough(around: <T>(statement: Statement, run: () => Promise<T>) => Promise<T>): Db {
  const { background } = servers.world.db;
  const pool: Pool = {
    query: (statement, values, options) => around(statement, () => background.query(statement, values, options)),
    execute: (statement, values, options) => around(statement, () => background.execute(statement, values, options)),
    script: (...call) => background.script(...call),
    withTx: (...call) => background.withTx(...call),
    withSession: (...call) => background.withSession(...call),
    pipelined: (...call) => background.pipelined(...call),
  };
  return { ...servers.world.db, halfvecOid: () => servers.world.db.halfvecOid(), background: pool };
}

test('a claim whose response is lost uses up no attempt', async () => {
  let lost = 0;
  const db = seenThrough(async (statement, run) => {
    const result = await run();
    if (statement.name !== 'jobs.claim' || lost === 2 || (result as unknown[]).length === 0) return result;
    lost += 1;
    throw commitInDoubt(new Error('the connection broke'));
  });
  const { memoryId } = await remember('one text');
  await used(memoryId, 4);
  const { ended } = start({ ...withLease(1), db });
  expect(await ended(1)).toEqual(['succeeded']);
  expect(lost).toBe(2);
  const { processingHistory } = await look(memoryId);
  expect(processingHistory?.latestJob?.attempts).toBe(5);
  expect(processingHistory?.attempts.map(({ ok, statusMessage }) => [ok, statusMessage])).toEqual([
    [true, undefined],
    [false, NOT_BEGUN],
    [false, NOT_BEGUN],
  ]);
});

test('a lease that a slow database failed to renew uses up none while its worker runs', async () => {
  const { release } = hold();
  const late = seenThrough((statement, run) => {
    if (statement.name === 'jobs.renew') throw deadlineExceeded();
    return run();
  });
  const first = start({ ...withLease(1), db: late });
  const { memoryId } = await remember('one text');
  await servers.provider.received(1);
  const second = start(withLease(1));
  expect(await second.ended(1)).toEqual(['succeeded']);
  release();
  expect(await first.ended(1)).toEqual(['lost']);
  const { processingHistory } = await look(memoryId);
  expect(processingHistory?.latestJob?.attempts).toBe(1);
  expect(processingHistory?.attempts.map(({ ok, statusMessage }) => [ok, statusMessage])).toEqual([
    [true, undefined],
    [false, TOO_SLOW],
  ]);
});

test('no worker takes a job over before a running one could renew its lease', async () => {
  let isSlow = false;
  const slow = seenThrough((statement, run) => {
    if (isSlow && ['jobs.renew', 'jobs.claim'].includes(statement.name)) throw deadlineExceeded();
    return run();
  });
  const { release } = hold();
  const { memoryId } = await remember('one text');
  await used(memoryId, 4);
  const first = start({ ...withLease(3), db: slow });
  await servers.provider.received(1);
  const second = start({ ...withLease(3), db: slow });
  isSlow = true;
  const leaseIsOver = 'select lease_until < now() as over from job where memory_id = $1';
  await expect
    .poll(() => sql(servers.world.db, leaseIsOver, [memoryId]), { timeout: 30_000, interval: 100 })
    .toEqual([{ over: true }]);
  isSlow = false;
  second.workers.wake();
  const leaseIsKept = 'select lease_until > now() as kept from job where memory_id = $1';
  await expect
    .poll(() => sql(servers.world.db, leaseIsKept, [memoryId]), { timeout: 30_000, interval: 100 })
    .toEqual([{ kept: true }]);
  release();
  expect(await first.ended(1)).toEqual(['succeeded']);
  expect(second.results).toEqual([]);
  expect((await look(memoryId)).processingHistory?.latestJob?.attempts).toBe(5);
});

/** What a worker leaves that dies with the content in its hands, or, unless it `begins`, before. */
async function die(memoryId: string, begins: boolean): Promise<ClaimedJob> {
  const claim = { workerId: 'dead', leaseToken: randomUUID(), leaseMs: 60_000 };
  const [job] = await claimJobs(servers.world.db.background, claim);
  if (job === undefined) throw new Error('there is nothing to claim');
  if (begins) await beginProcessing(servers.world.db.background, job, { maxInlineBytes: 1000 });
  await runOut(memoryId);
  return job;
}

test('a content that crashes its workers ends FAILED after five crashes; unstarted attempts do not count', async () => {
  const { memoryId } = await remember('one text');
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await die(memoryId, false);
    await die(memoryId, true);
    expect((await look(memoryId)).processingHistory?.latestJob?.attempts).toBe(attempt);
  }
  const { ended } = start();
  expect(await ended(1)).toEqual(['failed']);
  const failed = await look(memoryId);
  expect(statusOf(failed)).toBe('FAILED');
  expect(failed.failureReason).toBe('The workers of all attempts were lost');
  const { latestJob, attempts = [] } = failed.processingHistory ?? {};
  expect(latestJob).toMatchObject({ status: BackgroundJobStatus.BACKGROUND_JOB_FAILED, attempts: 5 });
  expect(attempts.slice(1).map(({ errorMessage, statusMessage }) => [errorMessage, statusMessage])).toEqual(
    Array.from({ length: 5 }, () => [
      [LOST, undefined],
      [LOST, NOT_BEGUN],
    ]).flat(),
  );
  expect(servers.provider.requests).toEqual([]);
});

test('an attempt is uncounted once, whatever the state of the job', async () => {
  const { memoryId } = await remember('one text');
  const count = async () => (await look(memoryId)).processingHistory?.latestJob?.attempts;
  const lost = await die(memoryId, true);
  const { background } = servers.world.db;
  const [taken] = await claimJobs(background, { workerId: 'alive', leaseToken: randomUUID(), leaseMs: 60_000 });
  if (taken === undefined) throw new Error('there is nothing to claim');
  await beginProcessing(background, taken, { maxInlineBytes: 1000 });
  expect([taken.attempts, await count()]).toEqual([2, 2]);
  for (let times = 0; times < 2; times += 1) {
    await uncountAttempt(background, lost, TOO_SLOW);
    expect(await count()).toBe(1);
  }
  // Of the one that runs only its end decides.
  await uncountAttempt(background, taken, TOO_SLOW);
  expect(await count()).toBe(1);
  expect(await background.withTx((tx) => lockAttempts(tx, taken))).toBe(0);
  expect(await background.withTx((tx) => lockAttempts(tx, lost))).toBeUndefined();
  await servers.world.memory('deleteMemory', { memoryId });
});
