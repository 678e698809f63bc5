import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EmbedderClient } from '../../../src/server/providers/embedders/types.ts';
import { ProviderError } from '../../../src/server/providers/errors.ts';
import type { IngestDeps } from '../../../src/server/service/ingest/deps.ts';
import { translateError } from '../../../src/server/store/errors.ts';
import { BackgroundJobStatus, type Memory } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { OpenAiStandIn } from '../../support/stand-ins/openai.ts';
import { openAi } from '../embedder.fixture.ts';
import { sql } from '../identity.fixture.ts';
import { createMemoryWorld, type MemoryWorld, read, statusOf } from '../memory.fixture.ts';
import { JobServers } from './job-servers.fixture.ts';

let world: MemoryWorld;
let provider: OpenAiStandIn;
let spaceId: string;
let servers: JobServers;

beforeAll(async () => {
  world = await createMemoryWorld();
  servers = new JobServers(world);
});
afterAll(() => world.end());
beforeEach(async () => {
  provider = await OpenAiStandIn.start({ dimensions: 8 });
  const request = openAi({ endpointUrl: `${provider.url}/v1`, dimensionality: 8 });
  const { embedderId } = await world.call('createEmbedder', request, world.ada);
  spaceId = await world.space({ embedderId });
});
afterEach(async () => {
  await servers.stop();
  await provider.close();
});

const server = (over: Partial<IngestDeps> = {}) => servers.start(over);
const hurry = (memoryId: string, change?: string) => servers.hurry(memoryId, change);

const chunkingConfig = { strategy: { case: 'recursive' as const, value: { chunkSize: 9 } } };
const look = (memoryId: string) => world.memory('getMemory', { memoryId, includeProcessingHistory: true });
const job = (memory: Memory) => memory.processingHistory?.latestJob;

async function remember(text: string, request: object = {}): Promise<Memory> {
  const memory = await world.remember(spaceId, text, request);
  servers.wake();
  return memory;
}

/** Lets the provider take the next request and keep it until the answer is released. */
function hold(): { release(): void } {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  provider.next({ kind: 'held', until });
  return { release };
}

async function stored(
  memoryId: string,
): Promise<{ chunks: number; distinct: number; vectors: number; counted: number }> {
  const [row] = await sql<{ chunks: number; distinct: number; embedderId: string; counted: number }>(
    world.db,
    `select count(c.sequence) as chunks, count(distinct c.sequence) as distinct,
       min(se.embedder_id::text) as "embedderId", min(se.vector_count) as counted
     from space_embedder se left join chunk c on c.space_id = se.space_id and c.memory_id = $2
     where se.space_id = $1`,
    [spaceId, memoryId],
  );
  const table = `vector_${row?.embedderId.replaceAll('-', '')}`;
  const [vectors] = await sql<{ count: number }>(world.db, `select count(*) as count from ${table}`);
  return {
    chunks: row?.chunks ?? -1,
    distinct: row?.distinct ?? -1,
    vectors: vectors?.count ?? -1,
    counted: row?.counted ?? -1,
  };
}

/** The world's embedders, whose first call that reaches this many texts in all fails. */
function failingAt(total: number, error: Error): IngestDeps['targets'] {
  let seen = 0;
  const failing = (inner: EmbedderClient): EmbedderClient => ({
    resolvedEndpoint: inner.resolvedEndpoint,
    probe: (payload, options) => inner.probe(payload, options),
    async embed(texts, options) {
      seen += texts.length;
      if (seen === total) throw error;
      return inner.embed(texts, options);
    },
  });
  return {
    async embedders(ids, signal) {
      const open = await world.deps.targets.embedders(ids, signal);
      return open.map((embedder) => ({ ...embedder, client: () => failing(embedder.client()) }));
    },
  };
}

describe('retries', () => {
  test('a failure that may pass is tried again after a second, and nothing is stored twice', async () => {
    provider.next({ kind: 'too_few' });
    const { ended } = server();
    const { memoryId } = await remember('one text');
    expect(await ended(1)).toEqual(['retried']);
    const waiting = await look(memoryId);
    expect(statusOf(waiting)).toBe('PENDING');
    expect(job(waiting)).toMatchObject({ status: BackgroundJobStatus.BACKGROUND_JOB_PENDING, attempts: 1 });
    expect(job(waiting)?.lastError).toBe(waiting.processingHistory?.attempts[0]?.errorMessage);
    const [wait] = await sql<{ ms: number }>(
      world.db,
      'select extract(epoch from run_at - updated_at)::float8 * 1000 as ms from job where memory_id = $1',
      [memoryId],
    );
    expect(wait?.ms).toBeGreaterThanOrEqual(800);
    expect(wait?.ms).toBeLessThanOrEqual(1201);
    expect(await ended(2)).toEqual(['retried', 'succeeded']);
    const done = await look(memoryId);
    expect(statusOf(done)).toBe('COMPLETED');
    expect(done.processingHistory?.attempts.map(({ ok }) => ok)).toEqual([true, false]);
    expect(job(done)).toMatchObject({ attempts: 2 });
    expect(job(done)?.lastError).toBeUndefined();
    expect(await stored(memoryId)).toEqual({ chunks: 1, distinct: 1, vectors: 1, counted: 1 });
  });

  test.each([
    ['is kept, and the next one goes on behind it', 'run_at = now()', true],
    ['is replaced by one that comes to other chunks', `run_at = now(), prepared_digest = 'other'`, false],
  ])('what an attempt has stored before it failed %s', async (_, change, goesOn) => {
    const text = Array.from({ length: 600 }, (_item, index) => `word${String(index).padStart(4, '0')}`).join(' ');
    const { memoryId } = await remember(text, { chunkingConfig });
    const { ended } = server({ targets: failingAt(600, new ProviderError('server_error', 'broken')) });
    expect(await ended(1)).toEqual(['retried']);
    const { chunks } = await stored(memoryId);
    expect(chunks).toBeGreaterThan(0);
    const asked = () => provider.requests.reduce((sum, { body }) => sum + (body.input as string[]).length, 0);
    const before = asked();
    await hurry(memoryId, change);
    expect(await ended(2)).toEqual(['retried', 'succeeded']);
    expect(asked() - before).toBe(goesOn ? 600 - chunks : 600);
    expect(await stored(memoryId)).toEqual({ chunks: 600, distinct: 600, vectors: 600, counted: 600 });
    expect((await read(await world.source('getMemoryText', memoryId))).toString()).toBe(text);
  });

  test('the time of a provider that is away begins anew when a part of the work got through', async () => {
    const text = Array.from({ length: 600 }, (_, index) => `word${String(index).padStart(4, '0')}`).join(' ');
    const { memoryId } = await remember(text, { chunkingConfig });
    await sql(
      world.db,
      `update job set away_since = now() - interval '2 hours', away_attempts = 9 where memory_id = $1`,
      [memoryId],
    );
    const { ended } = server({ targets: failingAt(600, new ProviderError('rate_limited', 'busy')) });
    servers.wake();
    expect(await ended(1)).toEqual(['retried']);
    const [row] = await sql<{ isNew: boolean; attempts: number }>(
      world.db,
      `select away_since > now() - interval '1 hour' as "isNew", away_attempts as attempts from job where memory_id = $1`,
      [memoryId],
    );
    expect(row).toEqual({ isNew: true, attempts: 1 });
    expect(await ended(2)).toEqual(['retried', 'succeeded']);
  });

  test('a memory that FAILS for good keeps its text and none of its chunks', async () => {
    const text = Array.from({ length: 600 }, (_, index) => `word${String(index).padStart(4, '0')}`).join(' ');
    const { memoryId } = await remember(text, { chunkingConfig });
    const { ended } = server({ targets: failingAt(600, new ProviderError('rejected', 'no such input')) });
    expect(await ended(1)).toEqual(['failed']);
    expect(statusOf(await look(memoryId))).toBe('FAILED');
    expect(await stored(memoryId)).toEqual({ chunks: 0, distinct: 0, vectors: 0, counted: 0 });
    expect((await read(await world.source('getMemoryText', memoryId))).toString()).toBe(text);
  });

  test('after five attempts the memory is FAILED', async () => {
    provider.always({ kind: 'too_few' });
    const { ended } = server();
    const { memoryId } = await remember('one text');
    for (let attempt = 1; attempt < 5; attempt += 1) {
      await ended(attempt);
      await hurry(memoryId);
    }
    expect(await ended(5)).toEqual(['retried', 'retried', 'retried', 'retried', 'failed']);
    const failed = await look(memoryId);
    expect(statusOf(failed)).toBe('FAILED');
    expect(job(failed)).toMatchObject({ status: BackgroundJobStatus.BACKGROUND_JOB_FAILED, attempts: 5 });
    expect(failed.processingHistory?.attempts).toHaveLength(5);
    // Extraction went well, whatever became of the vectors.
    expect((await read(await world.source('getMemoryText', memoryId))).toString()).toBe('one text');
  });

  test('an error that no repeat mends is FAILED at once', async () => {
    provider.always({ kind: 'status', status: 422, body: '{"error":{"message":"no such input"}}' });
    const { ended } = server();
    const { memoryId } = await remember('one text');
    expect(await ended(1)).toEqual(['failed']);
    expect(job(await look(memoryId))).toMatchObject({ attempts: 1 });
  });

  test('a provider that is away uses up no attempt, until the time of the space is over', async () => {
    provider.always({ kind: 'status', status: 503, headers: { 'retry-after': '0' } });
    const { ended } = server();
    const { memoryId } = await remember('one text');
    for (let attempt = 1; attempt < 7; attempt += 1) {
      await ended(attempt);
      const waiting = await look(memoryId);
      expect(job(waiting)).toMatchObject({ attempts: 0, lastError: expect.stringContaining('answered 503') });
      expect(waiting.processingHistory?.attempts[0]?.statusMessage).toMatch(/^The provider was unavailable/);
      expect(waiting.failureReason).toBeUndefined();
      await hurry(memoryId, attempt < 6 ? 'run_at = now()' : `run_at = now(), away_since = now() - interval '1 hour'`);
    }
    expect((await ended(7)).at(-1)).toBe('failed');
    const failed = await look(memoryId);
    expect(statusOf(failed)).toBe('FAILED');
    expect(failed.failureReason).toMatch(
      /answered 503.*The provider was still unavailable after the 60 minutes that the space waits/,
    );
    expect(job(failed)?.lastError).toBe(failed.failureReason);
    provider.always(undefined);
    expect((await world.memory('reprocessMemory', { memoryId })).failureReason).toBeUndefined();
    servers.wake();
    expect(statusOf(await world.processed(memoryId))).toBe('COMPLETED');
  });

  test('a change of giveUpAfterMinutes holds from the next attempt', async () => {
    provider.always({ kind: 'status', status: 429, headers: { 'retry-after': '120' } });
    const { ended } = server();
    const { memoryId } = await remember('one text');
    expect(await ended(1)).toEqual(['retried']);
    await world.call('updateSpace', { spaceId, giveUpAfterMinutes: 1 }, world.ada);
    await hurry(memoryId);
    expect(await ended(2)).toEqual(['retried', 'failed']);
    expect((await look(memoryId)).failureReason).toContain(
      'The provider asks to wait for 2 minutes, longer than what is left of the 1 minute',
    );
  });

  test('a Retry-After of weeks ends the memory FAILED at once', async () => {
    provider.always({ kind: 'status', status: 429, headers: { 'retry-after': String(14 * 86_400) } });
    const { ended } = server();
    const { memoryId } = await remember('one text');
    expect(await ended(1)).toEqual(['failed']);
    const failed = await look(memoryId);
    expect(failed.failureReason).toMatch(
      /answered 429.*The provider asks to wait for 14 days, longer than what is left of the 60 minutes/,
    );
    expect(provider.requests).toHaveLength(1);
  });
});

describe('a database that is slow', () => {
  /** The embedders are found by a database that answers too late so many times. */
  function late(times: number): Partial<IngestDeps> {
    let left = times;
    return {
      targets: {
        async embedders(ids, signal) {
          left -= 1;
          const sleeping = { name: 'test.sleep', text: 'select pg_sleep(0.2)' };
          if (left >= 0) await world.db.background.query(sleeping, [], { timeoutMs: 20 });
          return world.deps.targets.embedders(ids, signal);
        },
      },
    };
  }

  test('uses up no attempt', async () => {
    const { ended } = server(late(6));
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
    provider.always({ kind: 'status', status: 422, body: '{"error":{"message":"no such input"}}' });
    const { background } = world.db;
    // The first is that of the text, which the failure leaves behind where it can.
    let refusals = 3;
    const db = {
      ...world.db,
      halfvecOid: () => world.db.halfvecOid(),
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
    const { ended } = server({ db });
    const { memoryId } = await remember('one text');
    expect(await ended(1)).toEqual(['failed']);
    expect(job(await look(memoryId))).toMatchObject({ attempts: 1 });
  });

  test('which could not renew a lease takes no job from a worker of the same server', async () => {
    const { release } = hold();
    const { results, ended } = server();
    const { memoryId } = await remember('one text');
    await provider.received(1);
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
  test('a job whose lease ran out is taken over, and its first worker can write nothing more', async () => {
    const { release } = hold();
    // With one worker: another one of this server might be the one to take over.
    const first = server({ settings: { ...world.deps.settings, workerParallelism: 1 } });
    const { memoryId } = await remember('one text');
    await provider.received(1);
    await hurry(memoryId, `lease_until = now() - interval '1 second'`);
    const second = server();
    expect(await second.ended(1)).toEqual(['succeeded']);
    release();
    expect(await first.ended(1)).toEqual(['lost']);
    const done = await look(memoryId);
    expect(statusOf(done)).toBe('COMPLETED');
    expect(job(done)).toMatchObject({ attempts: 2 });
    expect(done.processingHistory?.attempts.map(({ ok }) => ok)).toEqual([true, false]);
    expect(done.processingHistory?.attempts[1]?.errorMessage).toBe('The worker was lost: its lease ran out');
    expect(await stored(memoryId)).toEqual({ chunks: 1, distinct: 1, vectors: 1, counted: 1 });
  });

  test('a lease is renewed while the work goes on', async () => {
    provider.next({ kind: 'slow', ms: 3000 });
    const first = server({ settings: { ...world.deps.settings, jobLeaseS: 1 } });
    server({ settings: { ...world.deps.settings, jobLeaseS: 1 } });
    const { memoryId } = await remember('one text');
    expect(statusOf(await world.processed(memoryId))).toBe('COMPLETED');
    expect(job(await look(memoryId))).toMatchObject({ attempts: 1 });
    expect(first.results).not.toContain('lost');
  });

  test('a job that loses all its workers is FAILED', async () => {
    const { memoryId } = await remember('one text');
    await hurry(
      memoryId,
      `status = 'RUNNING', attempts = 5, lease_until = now() - interval '1 second', lease_token = gen_random_uuid()`,
    );
    const { ended } = server();
    expect(await ended(1)).toEqual(['failed']);
    expect(job(await look(memoryId))).toMatchObject({
      attempts: 5,
      lastError: 'The workers of all attempts were lost',
    });
  });

  test('two servers work through many jobs and do none twice', async () => {
    const one = server();
    const two = server();
    const made = await Promise.all(Array.from({ length: 60 }, (_, index) => remember(`text number ${index}`)));
    for (const { memoryId } of made) expect(statusOf(await world.processed(memoryId))).toBe('COMPLETED');
    const rows = await sql<{ attempts: number; jobs: number }>(
      world.db,
      `select (select count(*) from job_attempt a join job j using (job_id) where j.space_id = $1) as attempts,
         (select count(*) from job where space_id = $1 and status = 'SUCCEEDED') as jobs`,
      [spaceId],
    );
    expect(rows).toEqual([{ attempts: 60, jobs: 60 }]);
    expect(one.results.length + two.results.length).toBeGreaterThanOrEqual(59);
    expect((await stored(made[0]?.memoryId ?? '')).counted).toBe(60);
  });
});

describe('interruptions', () => {
  test('deleting a memory cancels its running job, and its worker can write nothing more', async () => {
    const { release } = hold();
    const { ended } = server();
    const { memoryId } = await remember('one text');
    await provider.received(1);
    await world.memory('deleteMemory', { memoryId });
    release();
    expect(await ended(1)).toEqual(['lost']);
    const jobs = await sql(world.db, 'select status, lease_token from job where memory_id = $1', [memoryId]);
    expect(jobs).toEqual([{ status: 'CANCELED', lease_token: null }]);
    expect(await stored(memoryId)).toEqual({ chunks: 0, distinct: 0, vectors: 0, counted: 0 });
    const text = await sql(world.db, 'select 1 from text_part where memory_id = $1', [memoryId]);
    expect(text).toEqual([]);
  });

  test('deleting the space does so too', async () => {
    const { release } = hold();
    const { ended } = server();
    const { memoryId } = await remember('one text');
    await provider.received(1);
    await world.call('deleteSpace', { spaceId }, world.ada);
    release();
    expect(await ended(1)).toEqual(['lost']);
    expect(await sql(world.db, 'select 1 from job where memory_id = $1', [memoryId])).toEqual([]);
  });

  test('a server that stops gives its job back, uncounted', async () => {
    provider.next({ kind: 'hang' });
    const first = server();
    const { memoryId } = await remember('one text');
    await provider.received(1);
    await first.workers.stop();
    expect(first.results).toEqual(['released']);
    const back = await look(memoryId);
    expect(statusOf(back)).toBe('PENDING');
    expect(job(back)).toMatchObject({ status: BackgroundJobStatus.BACKGROUND_JOB_PENDING, attempts: 0 });
    const second = server();
    expect(await second.ended(1)).toEqual(['succeeded']);
  });
});
