import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { AuthFailure, CallObserver, Transport } from '../transport/call-observer.ts';
import type { RecentRecorder } from './recent.ts';

/** Buckets of a call: from a look-up by key to a stream that lasts. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const TRANSPORTS: readonly Transport[] = ['rest', 'grpc'];
const AUTH_FAILURES: readonly AuthFailure[] = ['missing', 'invalid', 'metrics_key'];

/** Counts calls over REST and gRPC. */
export function createCallMetrics(registry: Registry, recent: RecentRecorder): CallObserver {
  const wires = { rest: wireMetrics(registry, 'http', 'REST'), grpc: wireMetrics(registry, 'grpc', 'gRPC') };
  const flow = flowMetrics(registry);
  return {
    callBegun: (transport) => flow.inFlight.inc({ transport }),
    callFinished({ transport, operation, code, durationMs }) {
      flow.inFlight.dec({ transport });
      wires[transport].requests.inc({ operation, code });
      wires[transport].durations.observe({ operation, code }, durationMs / 1000);
      recent.request(operation, durationMs, code === 'OK' || code === 'CANCELLED');
    },
    streamOpened: (transport) => flow.streams.inc({ transport }),
    streamClosed: (transport) => flow.streams.dec({ transport }),
    eventSent: createStreamEventCounter(registry),
    rateLimited: (transport) => flow.rateLimited.inc({ transport }),
    authFailed: (reason) => flow.authFailures.inc({ reason }),
  };
}

function wireMetrics(registry: Registry, name: 'http' | 'grpc', title: string) {
  const common = { labelNames: ['operation', 'code'] as const, registers: [registry] };
  return {
    requests: new Counter({
      name: `svc_${name}_requests_total`,
      help: `Calls over ${title} that have ended, by operation and result`,
      ...common,
    }),
    durations: new Histogram({
      name: `svc_${name}_request_duration_seconds`,
      help: `Time from the arrival of a call over ${title} to its last byte`,
      buckets: SECONDS,
      ...common,
    }),
  };
}

function flowMetrics(registry: Registry) {
  const byTransport = { labelNames: ['transport'] as const, registers: [registry] };
  const inFlight = new Gauge({ name: 'svc_requests_in_flight', help: 'Calls under way', ...byTransport });
  const streams = new Gauge({ name: 'svc_streams_open', help: 'Streams of events under way', ...byTransport });
  const rateLimited = new Counter({
    name: 'svc_rate_limited_total',
    help: 'Calls refused by the rate limit',
    ...byTransport,
  });
  const authFailures = new Counter({
    name: 'svc_auth_failures_total',
    help: 'Requests without a usable key',
    labelNames: ['reason'],
    registers: [registry],
  });
  // A rate over a counter that begins with its first event misses that event.
  for (const transport of TRANSPORTS)
    for (const metric of [inFlight, streams, rateLimited]) metric.inc({ transport }, 0);
  for (const reason of AUTH_FAILURES) authFailures.inc({ reason }, 0);
  return { inFlight, streams, rateLimited, authFailures };
}

/**
 * Counts the events of streams. There may be thousands in one call, so they are counted in plain maps and become series
 * at the scrape: 0.03 µs each instead of 1.3.
 */
function createStreamEventCounter(registry: Registry): (operation: string, event: string) => void {
  const counts = new Map<string, Map<string, number>>();
  new Counter({
    name: 'svc_stream_events_total',
    help: 'Events sent in streams',
    labelNames: ['operation', 'event'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [operation, events] of counts) {
        for (const [event, count] of events) this.inc({ operation, event }, count);
      }
    },
  });
  return (operation, event) => {
    const events = counts.get(operation) ?? new Map<string, number>();
    if (events.size === 0) counts.set(operation, events);
    events.set(event, (events.get(event) ?? 0) + 1);
  };
}
