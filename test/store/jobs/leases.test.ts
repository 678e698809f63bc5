import pg from 'pg';
import { describe, expect, test } from 'vitest';
import type { IngestDeps } from '../../../src/server/service/ingest/deps.ts';
import { translateError } from '../../../src/server/store/errors.ts';
import { BackgroundJobStatus, type Memory } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { sql } from '../identity.fixture.ts';
import { statusOf } from '../memory.fixture.ts';
import { stored, useJobServers } from './job-servers.fixture.ts';

const servers = useJobServers();
const { start, hurry, remember, look, hold } = servers;
const job = (memory: Memory) => memory.processingHistory?.latestJob;

describe('a slow database', () => {
  /** The embedders are found by a database that answers too late so many times. */
  function late(times: number): Partial<IngestDeps> {
    let left = times;
    return {
      targets: {
        async embedders(ids, signal) {
          left -= 1;
          const sleeping = { name: 'test.sleep', text: 'select pg_sleep(0.2)' };
          if (left >= 0) await servers.world.db.background.query(sleeping, [], { timeoutMs: 20 });
          return servers.world.deps.targets.embedders(ids, signal);
        },
      },
    };
  }

  test('uses up no attempt', async () => {
    const { ended } = start(late(6));
    const { memoryId } = await remember('one text');
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      expect((await ended(attempt)).at(-1)).toBe('retried');
      const waiting = await look(memoryId);
      expect(job(waiting)).toMatchObject({ attempts: 0, lastError: 'The database did not answer in time' });
      expect(waiting.processingHistory?.attempts[0]?.statusMessage).toMatch(/^The database was too slow/);
      await hurry(memoryId);
    }
    expect((await ended(7)).at(-1)).toBe('succeeded');
    expect(job(await look(memoryId))).toMatchObject({ attempts: 1 });
  });

  test('does not keep the end of an attempt from being stored', async () => {
    servers.provider.always({ kind: 'status', status: 422, body: '{"error":{"message":"no such input"}}' });
    const { background } = servers.world.db;
    // The first is that of the text, which the failure leaves behind where it can.
    let refusals = 3;
    const db = {
      ...servers.world.db,
      halfvecOid: () => servers.world.db.halfvecOid(),
      background: {
        query: background.query.bind(background) as typeof background.query,
        execute: background.execute.bind(background),
        script: background.script.bind(background),
        withSession: background.withSession.bind(background) as typeof background.withSession,
        pipelined: background.pipelined.bind(background) as typeof background.pipelined,
        withTx: (async (...call: Parameters<typeof background.withTx>) => {
          refusals -= 1;
          // What PostgreSQL says while it starts.
          const starting = Object.assign(new pg.DatabaseError('starting up', 1, 'error'), { code: '57P03' });
          if (refusals >= 0) throw translateError(starting);
          return background.withTx(...call);
        }) as typeof background.withTx,
      },
    };
    const { ended } = start({ db });
    const { memoryId } = await remember('one text');
    expect(await ended(1)).toEqual(['failed']);
    expect(job(await look(memoryId))).toMatchObject({ attempts: 1 });
  });

  test('that could not renew a lease takes no job from a worker of the same server', async () => {
    const { release } = hold();
    const { results, ended } = start();
    const { memoryId } = await remember('one text');
    await servers.provider.received(1);
    await hurry(memoryId, `lease_until = now() - interval '1 second'`);
    await remember('another text');
    expect(await ended(1)).toEqual(['succeeded']);
    release();
    expect(await ended(2)).toEqual(['succeeded', 'succeeded']);
    expect(results).not.toContain('lost');
    expect(job(await look(memoryId))).toMatchObject({ attempts: 1 });
  });
});

describe('leases', () => {
  test('a job whose lease expired is taken over, and the writes of its first worker are refused', async () => {
    const { release } = hold();
    // With one worker: another one of this server might be the one to take over.
    const first = start({ settings: { ...servers.world.deps.settings, workerParallelism: 1 } });
    const { memoryId } = await remember('one text');
    await servers.provider.received(1);
    await hurry(memoryId, `lease_until = now() - interval '1 second'`);
    const second = start();
    expect(await second.ended(1)).toEqual(['succeeded']);
    release();
    expect(await first.ended(1)).toEqual(['lost']);
    const done = await look(memoryId);
    expect(statusOf(done)).toBe('COMPLETED');
    expect(job(done)).toMatchObject({ attempts: 2 });
    expect(done.processingHistory?.attempts.map(({ ok }) => ok)).toEqual([true, false]);
    expect(done.processingHistory?.attempts[1]?.errorMessage).toBe('The worker was lost: its lease ran out');
    expect(await stored(servers, memoryId)).toEqual({ chunks: 1, distinct: 1, vectors: 1, counted: 1 });
  });

  test('a lease is renewed while the work goes on', async () => {
    servers.provider.next({ kind: 'slow', ms: 3000 });
    const first = start({ settings: { ...servers.world.deps.settings, jobLeaseS: 1 } });
    start({ settings: { ...servers.world.deps.settings, jobLeaseS: 1 } });
    const { memoryId } = await remember('one text');
    expect(statusOf(await servers.world.processed(memoryId))).toBe('COMPLETED');
    expect(job(await look(memoryId))).toMatchObject({ attempts: 1 });
    expect(first.results).not.toContain('lost');
  });

  test('a job that loses every worker is FAILED', async () => {
    const { memoryId } = await remember('one text');
    await hurry(
      memoryId,
      `status = 'RUNNING', attempts = 5, lease_until = now() - interval '1 second', lease_token = gen_random_uuid()`,
    );
    const { ended } = start();
    expect(await ended(1)).toEqual(['failed']);
    expect(job(await look(memoryId))).toMatchObject({
      attempts: 5,
      lastError: 'The workers of all attempts were lost',
    });
  });

  test('two servers process many jobs, none twice', async () => {
    const one = start();
    const two = start();
    const made = await Promise.all(Array.from({ length: 60 }, (_, index) => remember(`text number ${index}`)));
    for (const { memoryId } of made) expect(statusOf(await servers.world.processed(memoryId))).toBe('COMPLETED');
    const rows = await sql<{ attempts: number; jobs: number }>(
      servers.world.db,
      `select (select count(*) from job_attempt a join job j using (job_id) where j.space_id = $1) as attempts,
         (select count(*) from job where space_id = $1 and status = 'SUCCEEDED') as jobs`,
      [servers.spaceId],
    );
    expect(rows).toEqual([{ attempts: 60, jobs: 60 }]);
    expect(one.results.length + two.results.length).toBeGreaterThanOrEqual(59);
    expect((await stored(servers, made[0]?.memoryId ?? '')).counted).toBe(60);
  });
});

describe('interruptions', () => {
  test('deleting a memory cancels its running job, and the writes of its worker are refused', async () => {
    const { release } = hold();
    const { ended } = start();
    const { memoryId } = await remember('one text');
    await servers.provider.received(1);
    await servers.world.memory('deleteMemory', { memoryId });
    release();
    expect(await ended(1)).toEqual(['lost']);
    const jobs = await sql(servers.world.db, 'select status, lease_token from job where memory_id = $1', [memoryId]);
    expect(jobs).toEqual([{ status: 'CANCELED', lease_token: null }]);
    expect(await stored(servers, memoryId)).toEqual({ chunks: 0, distinct: 0, vectors: 0, counted: 0 });
    const text = await sql(servers.world.db, 'select 1 from text_part where memory_id = $1', [memoryId]);
    expect(text).toEqual([]);
  });

  test('deleting the space does so too', async () => {
    const { release } = hold();
    const { ended } = start();
    const { memoryId } = await remember('one text');
    await servers.provider.received(1);
    await servers.world.call('deleteSpace', { spaceId: servers.spaceId }, servers.world.ada);
    release();
    expect(await ended(1)).toEqual(['lost']);
    expect(await sql(servers.world.db, 'select 1 from job where memory_id = $1', [memoryId])).toEqual([]);
  });

  test('a server that stops releases its job, uncounted', async () => {
    servers.provider.next({ kind: 'hang' });
    const first = start();
    const { memoryId } = await remember('one text');
    await servers.provider.received(1);
    await first.workers.stop();
    expect(first.results).toEqual(['released']);
    const back = await look(memoryId);
    expect(statusOf(back)).toBe('PENDING');
    expect(job(back)).toMatchObject({ status: BackgroundJobStatus.BACKGROUND_JOB_PENDING, attempts: 0 });
    const second = start();
    expect(await second.ended(1)).toEqual(['succeeded']);
  });
});
