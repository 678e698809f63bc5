import { Registry } from 'prom-client';
import type { ProviderObserver } from '../providers/observer.ts';
import type { IngestObserver } from '../service/ingest/deps.ts';
import type { ProbeEvent } from '../service/ping/handlers.ts';
import type { RetrievalObserver } from '../service/retrieval/stage-times.ts';
import type { RecentStatistics } from '../service/system/status.ts';
import type { Settings } from '../settings/table.ts';
import type { CallObserver } from '../transport/call-observer.ts';
import type { MetricsEndpoint } from '../transport/rest/operational.ts';
import { createCallMetrics } from './call-metrics.ts';
import { createDatabaseMetrics, type DatabaseMetrics } from './database-metrics.ts';
import { addProcessMetrics, type ServerFacts } from './process-metrics.ts';
import { createRecentStatistics } from './recent.ts';
import {
  createIngestMetrics,
  createProbeMetrics,
  createProviderMetrics,
  createRetrievalMetrics,
  declareOcrMetrics,
} from './work-metrics.ts';

/** All metrics of one server: the observers that record them, and the two ways to read them. */
export interface Metrics {
  calls: CallObserver;
  provider: ProviderObserver;
  ingest: IngestObserver;
  probe: (probe: ProbeEvent) => void;
  retrieval: RetrievalObserver;
  database: DatabaseMetrics;
  recent: RecentStatistics;
  /** Media type of what `scrape` gives. */
  contentType: string;
  /** Everything as Prometheus text. Takes two seconds at most, also when the database is unavailable. */
  scrape(): Promise<string>;
}

/** One registry for each server: several in one process do not mix their numbers. */
export function createMetrics(facts: ServerFacts): Metrics {
  const registry = new Registry();
  const recent = createRecentStatistics();
  addProcessMetrics(registry, facts);
  declareOcrMetrics(registry);
  return {
    calls: createCallMetrics(registry, recent),
    provider: createProviderMetrics(registry),
    ingest: createIngestMetrics(registry),
    probe: createProbeMetrics(registry),
    retrieval: createRetrievalMetrics(registry, recent),
    database: createDatabaseMetrics(registry),
    recent,
    contentType: registry.contentType,
    scrape: () => registry.metrics(),
  };
}

/** The endpoint of the metrics according to the settings. */
export function metricsEndpoint(
  { contentType, scrape }: Pick<Metrics, 'contentType' | 'scrape'>,
  settings: Pick<Settings, 'metricsAuthDisabled' | 'metricsScrapeSecret'>,
): MetricsEndpoint {
  const secret = settings.metricsAuthDisabled ? undefined : settings.metricsScrapeSecret;
  return { secret, contentType, scrape };
}
