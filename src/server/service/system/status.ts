import { create } from '@bufbuild/protobuf';
import {
  type LatencySummary,
  LatencySummarySchema,
  PoolStatusSchema,
  type SystemStatus,
  SystemStatusSchema,
} from '../../../shared/gen/service/v1/system_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Lifecycle } from '../../lifecycle.ts';
import { selectCounts } from '../../store/counts.ts';
import type { Db } from '../../store/db.ts';
import { schemaVersion } from '../../store/migrate.ts';

/** Figures of one operation or stage over the last minute, of this server alone. */
export interface RecentFigures {
  count: number;
  errors: number;
  /** Milliseconds, within 5 % of the true value. */
  p50Ms: number;
  /** Milliseconds, within 5 % of the true value. */
  p99Ms: number;
}

/** What happened in the last minute, by operation and by stage of a retrieval. What did not happen has no entry. */
export interface RecentStatistics {
  requests(): Record<string, RecentFigures>;
  /** By stage of a retrieval: `embed`, `vector_search`, `load`, … */
  stages(): Record<string, RecentFigures>;
}

export interface StatusDeps {
  db: Db;
  lifecycle: Lifecycle;
  recent: RecentStatistics;
}

/** What this server does and what its database holds. */
export async function systemStatus(
  { db, lifecycle, recent }: StatusDeps,
  { signal }: Pick<CallContext, 'signal'>,
): Promise<SystemStatus> {
  const version = await schemaVersion(db, signal);
  const { counts, jobs } = await selectCounts(db.main, { signal });
  return create(SystemStatusSchema, {
    state: lifecycle.state,
    uptimeMs: BigInt(Math.round(process.uptime() * 1000)),
    schemaVersion: version,
    database: db.capabilities.embedded ? 'embedded' : 'external',
    counts: mapValues(counts, BigInt),
    jobs: mapValues(jobs, BigInt),
    pools: mapValues(db.stats(), (stats) => create(PoolStatusSchema, stats)),
    requests: mapValues(recent.requests(), latencySummary),
    stages: mapValues(recent.stages(), latencySummary),
  });
}

function latencySummary({ count, errors, p50Ms, p99Ms }: RecentFigures): LatencySummary {
  return create(LatencySummarySchema, { count: BigInt(count), errors: BigInt(errors), p50Ms, p99Ms });
}

function mapValues<In, Out>(values: Readonly<Record<string, In>>, map: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
