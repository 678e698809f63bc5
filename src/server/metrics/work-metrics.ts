import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ProviderObserver } from '../providers/observer.ts';
import type { IngestObserver } from '../service/ingest/deps.ts';
import type { ProbeEvent } from '../service/ping/handlers.ts';
import type { RetrievalObserver } from '../service/retrieval/stage-times.ts';
import { STEP_SECONDS } from './database-metrics.ts';
import { plainCounter, plainHistogram } from './plain.ts';
import type { RecentRecorder } from './recent.ts';

/** Buckets of an attempt: from a note to a book. */
const JOB_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800];
/** Buckets of a provider: in the same process or across the world, up to a long reply of an LLM. */
const PROVIDER_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Counts the attempts of jobs and what they make. */
export function createIngestMetrics(registry: Registry): IngestObserver {
  const attempt = { labelNames: ['type', 'result'] as const, registers: [registry] };
  const attempts = new Counter({ name: 'svc_job_attempts_total', help: 'Attempts of jobs, by their end', ...attempt });
  const durations = new Histogram({
    name: 'svc_job_duration_seconds',
    help: 'Time of one attempt of a job',
    buckets: JOB_SECONDS,
    ...attempt,
  });
  const memories = new Counter({
    name: 'svc_memories_processed_total',
    help: 'Memories whose processing has ended',
    labelNames: ['result'],
    registers: [registry],
  });
  const chunks = new Counter({
    name: 'svc_chunks_embedded_total',
    help: 'Chunks that an embedder made a vector of',
    labelNames: ['provider'],
    registers: [registry],
  });
  const outside = new Gauge({
    name: 'svc_vectors_outside_index',
    help: 'Vectors of spaces with an index that are in none yet',
    registers: [registry],
  });
  const built = new Counter({
    name: 'svc_vector_indexes_built_total',
    help: 'Vector indexes that were built, for new vectors or to merge others',
    registers: [registry],
  });
  for (const result of ['succeeded', 'failed']) memories.inc({ result }, 0);
  return {
    attemptEnded({ type, result, seconds }) {
      attempts.inc({ type, result });
      durations.observe({ type, result }, seconds);
      if (result === 'succeeded' || result === 'failed') memories.inc({ result });
    },
    chunksEmbedded: (provider, count) => chunks.inc({ provider }, count),
    vectorsOutside: (count) => outside.set(count),
    indexBuilt: () => built.inc(),
  };
}

/** Counts calls to embedders, rerankers, LLMs and OCR, each retry by itself. */
export function createProviderMetrics(registry: Registry): ProviderObserver {
  const target = { labelNames: ['kind', 'provider'] as const, registers: [registry] };
  const requests = plainCounter(registry, {
    name: 'svc_provider_requests_total',
    help: 'Calls to providers',
    labelNames: target.labelNames,
  });
  const errors = new Counter({
    name: 'svc_provider_errors_total',
    help: 'Calls to providers that failed',
    labelNames: [...target.labelNames, 'reason'],
    registers: [registry],
  });
  const durations = plainHistogram(registry, {
    name: 'svc_provider_request_duration_seconds',
    help: 'Time of a call to a provider',
    buckets: PROVIDER_SECONDS,
    labelNames: target.labelNames,
  });
  return ({ kind, provider, durationMs, reason }) => {
    requests(kind, provider);
    durations(durationMs / 1000, kind, provider);
    if (reason !== undefined) errors.inc({ kind, provider, reason });
  };
}

/** Counts the probes of ping. */
export function createProbeMetrics(registry: Registry): (probe: ProbeEvent) => void {
  const probes = new Counter({
    name: 'svc_ping_probes_total',
    help: 'Probes that ping sent',
    labelNames: ['target_type', 'result'],
    registers: [registry],
  });
  return ({ targetType, result }) => probes.inc({ target_type: targetType, result });
}

/** Declares the metric for dashboards; it has no series as long as no pages are recognized. */
export function declareOcrMetrics(registry: Registry): void {
  new Counter({
    name: 'svc_ocr_pages_total',
    help: 'Pages that OCR has read',
    labelNames: ['result'],
    registers: [registry],
  });
}

/** Times the stages of retrievals and counts their statuses. */
export function createRetrievalMetrics(registry: Registry, recent: RecentRecorder): RetrievalObserver {
  const durations = plainHistogram(registry, {
    name: 'svc_retrieve_stage_duration_seconds',
    help: 'Time of one stage of a retrieval',
    buckets: STEP_SECONDS,
    labelNames: ['stage'],
  });
  const statuses = new Counter({
    name: 'svc_retrieve_status_total',
    help: 'Status events of retrievals',
    labelNames: ['code'],
    registers: [registry],
  });
  return {
    stageEnded(stage, durationMs, ok) {
      durations(durationMs / 1000, stage);
      recent.stage(stage, durationMs, ok);
    },
    statusSent: (code) => statuses.inc({ code }),
  };
}
