import { Counter, Gauge, type Registry } from 'prom-client';
import type { AuthFailure, CallObserver, Transport } from '../transport/call-observer.ts';
import { plainCounter, plainHistogram } from './plain.ts';
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
    callBegun: (transport) => {
      flow.inFlight[transport] += 1;
    },
    callFinished({ transport, operation, code, durationMs }) {
      flow.inFlight[transport] -= 1;
      wires[transport].requests(operation, code);
      wires[transport].durations(durationMs / 1000, operation, code);
      recent.request(operation, durationMs, code === 'OK' || code === 'CANCELLED');
    },
    streamOpened: (transport) => {
      flow.streams[transport] += 1;
    },
    streamClosed: (transport) => {
      flow.streams[transport] -= 1;
    },
    eventSent: plainCounter(registry, {
      name: 'svc_stream_events_total',
      help: 'Events sent in streams',
      labelNames: ['operation', 'event'],
    }),
    rateLimited: (transport) => flow.rateLimited.inc({ transport }),
    authFailed: (reason) => flow.authFailures.inc({ reason }),
  };
}

function wireMetrics(registry: Registry, name: 'http' | 'grpc', title: string) {
  const labelNames = ['operation', 'code'];
  return {
    requests: plainCounter(registry, {
      name: `svc_${name}_requests_total`,
      help: `Calls over ${title} that have ended, by operation and result`,
      labelNames,
    }),
    durations: plainHistogram(registry, {
      name: `svc_${name}_request_duration_seconds`,
      help: `Time from the arrival of a call over ${title} to its last byte`,
      buckets: SECONDS,
      labelNames,
    }),
  };
}

function flowMetrics(registry: Registry) {
  const byTransport = { labelNames: ['transport'] as const, registers: [registry] };
  const inFlight = transportGauge(registry, { name: 'svc_requests_in_flight', help: 'Calls under way' });
  const streams = transportGauge(registry, { name: 'svc_streams_open', help: 'Streams of events under way' });
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
  for (const transport of TRANSPORTS) rateLimited.inc({ transport }, 0);
  for (const reason of AUTH_FAILURES) authFailures.inc({ reason }, 0);
  return { inFlight, streams, rateLimited, authFailures };
}

/** What is under way over each transport: numbers for the caller to change. */
function transportGauge(registry: Registry, described: { name: string; help: string }): Record<Transport, number> {
  const numbers = { rest: 0, grpc: 0 };
  new Gauge({
    ...described,
    labelNames: ['transport'],
    registers: [registry],
    collect() {
      for (const transport of TRANSPORTS) this.set({ transport }, numbers[transport]);
    },
  });
  return numbers;
}
