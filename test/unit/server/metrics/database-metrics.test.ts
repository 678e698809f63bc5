import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createDatabaseMetrics } from '../../../../src/server/metrics/database-metrics.ts';
import { Sampler } from '../../../../src/server/metrics/sampler.ts';
import type { Db } from '../../../../src/server/store/db.ts';
import { exposition } from '../../../support/exposition.ts';

const TIMEOUT_MS = 20;

/** A sampler on a clock that the test sets, of looks that end when the test says so. */
function sampler() {
  const clock = { ms: 0 };
  const looks: { end(value: string): void; fail(): void; signal: AbortSignal }[] = [];
  const take = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      const fail = () => reject(new Error('away'));
      looks.push({ end: resolve, fail, signal });
      signal.addEventListener('abort', fail);
    });
  return { clock, looks, sampler: new Sampler(take, { timeoutMs: TIMEOUT_MS, now: () => clock.ms }) };
}

describe('a sampler', () => {
  it('takes one sample for concurrent scrapes', async () => {
    const { looks, sampler: samples } = sampler();
    const asked = Array.from({ length: 50 }, () => samples.latest());
    looks[0]?.end('seen');
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['seen']));
    expect(looks).toHaveLength(1);
  });

  it.each([
    ['a second', 1, 999, 1001],
    ['fifty times the duration of the sample', 100, 4999, 5001],
  ])('keeps a sample for %s', async (_, tookMs, freshMs, staleMs) => {
    const { clock, looks, sampler: samples } = sampler();
    const first = samples.latest();
    clock.ms = tookMs;
    looks[0]?.end('first');
    await first;
    clock.ms = tookMs + freshMs;
    expect(await samples.latest()).toBe('first');
    clock.ms = tookMs + staleMs;
    const second = samples.latest();
    looks[1]?.end('second');
    expect(await second).toBe('second');
  });

  it('has no sample after a failure, and samples again after a second', async () => {
    const { clock, looks, sampler: samples } = sampler();
    const first = samples.latest();
    looks[0]?.end('first');
    await first;
    clock.ms = 2000;
    const failing = samples.latest();
    clock.ms = 60_000;
    looks[1]?.fail();
    expect(await failing).toBeUndefined();
    expect(await samples.latest()).toBeUndefined();
    expect(looks).toHaveLength(2);
    clock.ms = 61_001;
    const again = samples.latest();
    looks[2]?.end('back');
    expect(await again).toBe('back');
  });

  it('times out', async () => {
    const { looks, sampler: samples } = sampler();
    expect(await samples.latest()).toBeUndefined();
    expect(looks[0]?.signal.aborted).toBe(true);
  });
});

describe('metrics of a database', () => {
  const stats = () => ({ main: { idle: 2, used: 1, waiting: 3 }, background: { idle: 0, used: 0, waiting: 0 } });
  const withJobs = (query: () => Promise<object[]>) => ({ stats, background: { query } }) as unknown as Db;

  async function scraped(db?: Db) {
    const registry = new Registry();
    const metrics = createDatabaseMetrics(registry);
    metrics.query('vectors.insert_a1b2', 0.003, true, 'main');
    if (db !== undefined) metrics.watch(db);
    return exposition(await registry.metrics());
  }

  it('are left out before the database is open', async () => {
    const { series, types } = await scraped();
    expect(new Set(series.map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')))).toEqual(
      new Set(['svc_db_query_duration_seconds']),
    );
    expect(types.get('svc_job_oldest_pending_seconds')).toBe('gauge');
  });

  it('leave out the jobs while the database is unavailable, and report the pools', async () => {
    const { series, value } = await scraped(withJobs(() => Promise.reject(new Error('away'))));
    expect(series.filter(({ name }) => name.startsWith('svc_job'))).toEqual([]);
    expect(value('svc_db_pool_connections', { pool: 'main', state: 'idle' })).toBe(2);
    expect(value('svc_db_pool_connections', { pool: 'background', state: 'used' })).toBe(0);
    expect(value('svc_db_pool_waiting', { pool: 'main' })).toBe(3);
  });

  it('report the jobs of every state, and the age of the oldest', async () => {
    const { value } = await scraped(withJobs(async () => [{ status: 'PENDING', count: 4, oldestMs: 2500 }]));
    expect(value('svc_jobs', { state: 'PENDING' })).toBe(4);
    expect(value('svc_jobs', { state: 'FAILED' })).toBe(0);
    expect(value('svc_job_oldest_pending_seconds')).toBe(2.5);
  });

  it('time statements by pool alone, without names of tables', async () => {
    const { series, value } = await scraped();
    expect(value('svc_db_query_duration_seconds_count', { pool: 'main' })).toBe(1);
    const labels = new Set(series.flatMap(({ labels }) => Object.keys(labels)));
    expect(labels).toEqual(new Set(['pool', 'le']));
  });
});
