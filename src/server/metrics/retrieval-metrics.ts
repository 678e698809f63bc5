import { Counter, Histogram, type Registry } from 'prom-client';
import type { RetrievalObserver } from '../service/retrieval/observer.ts';
import { BUCKETS } from './buckets.ts';
import type { RecentRecorder } from './recent.ts';

/** Times the stages of retrievals and counts their statuses. */
export function createRetrievalMetrics(registry: Registry, recent: RecentRecorder): RetrievalObserver {
  const durations = new Histogram({
    name: 'svc_retrieve_stage_duration_seconds',
    help: 'Time of one stage of a retrieval',
    buckets: BUCKETS.step,
    labelNames: ['stage'],
    registers: [registry],
  });
  const statuses = new Counter({
    name: 'svc_retrieve_status_total',
    help: 'Status events of retrievals',
    labelNames: ['code'],
    registers: [registry],
  });
  return {
    stageEnded(stage, durationMs, ok) {
      durations.observe({ stage }, durationMs / 1000);
      recent.stage(stage, durationMs, ok);
    },
    statusSent: (code) => statuses.inc({ code }),
  };
}
