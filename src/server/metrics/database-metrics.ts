import { Gauge, type Registry } from 'prom-client';
import { type JobCounts, selectJobCounts } from '../store/counts.ts';
import type { Db, PoolName, QueryObserver } from '../store/db.ts';
import { plainHistogram } from './plain.ts';
import { Sampler } from './sampler.ts';

/** Buckets of a statement, or of a stage of a retrieval, which may be one statement. */
export const STEP_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A scrape waits no longer than this for the database. */
const SAMPLE_TIMEOUT_MS = 2000;

export interface DatabaseMetrics {
  query: QueryObserver;
  /** From now on a scrape queries this database; before that its metrics have no series. */
  watch(db: Pick<Db, 'stats' | 'background'>): void;
}

/** Times statements; reads pools and jobs at each scrape. */
export function createDatabaseMetrics(registry: Registry): DatabaseMetrics {
  const observe = plainHistogram(registry, {
    name: 'svc_db_query_duration_seconds',
    help: 'Time of one database statement, waiting for a connection not included',
    buckets: STEP_SECONDS,
    labelNames: ['pool'],
  });
  let db: Pick<Db, 'stats'> | undefined;
  let jobs: Sampler<JobCounts> | undefined;
  addPoolGauges(registry, () => db?.stats());
  addJobGauges(registry, async () => await jobs?.latest());
  return {
    query: (_name, seconds, _ok, pool) => observe(seconds, pool),
    watch(opened) {
      db = opened;
      const look = (signal: AbortSignal) =>
        selectJobCounts(opened.background, { signal, timeoutMs: SAMPLE_TIMEOUT_MS });
      jobs = new Sampler(look, { timeoutMs: SAMPLE_TIMEOUT_MS });
    },
  };
}

function addPoolGauges(registry: Registry, look: () => ReturnType<Db['stats']> | undefined): void {
  const poolsOf = () => Object.entries(look() ?? {}) as [PoolName, { idle: number; used: number; waiting: number }][];
  new Gauge({
    name: 'svc_db_pool_connections',
    help: 'Open database connections',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { idle, used }] of poolsOf()) {
        this.set({ pool, state: 'idle' }, idle);
        this.set({ pool, state: 'used' }, used);
      }
    },
  });
  new Gauge({
    name: 'svc_db_pool_waiting',
    help: 'Callers that wait for a database connection',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      for (const [pool, { waiting }] of poolsOf()) this.set({ pool }, waiting);
    },
  });
}

function addJobGauges(registry: Registry, look: () => Promise<JobCounts | undefined>): void {
  new Gauge({
    name: 'svc_jobs',
    help: 'Background jobs in the database, finished ones until they are purged',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const jobs = await look();
      this.reset();
      for (const [state, count] of Object.entries(jobs?.counts ?? {})) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'svc_job_oldest_pending_seconds',
    help: 'Age of the oldest job that is PENDING, 0 without one',
    registers: [registry],
    async collect() {
      const jobs = await look();
      // Zero would say that nothing waits.
      if (jobs === undefined) this.remove();
      else this.set(jobs.oldestPendingMs / 1000);
    },
  });
}
