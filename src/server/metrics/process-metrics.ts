import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';
import { LIFECYCLE_STATES, type Lifecycle } from '../lifecycle.ts';

/** How often the event loop is looked at, in milliseconds. */
const LOOP_RESOLUTION_MS = 20;

export interface ServerFacts {
  lifecycle: Pick<Lifecycle, 'state'>;
  version: string;
  /** Empty when the build does not know it. */
  commit: string;
}

/** Metrics of the build and the process, read at each scrape. */
export function addProcessMetrics(registry: Registry, { lifecycle, version, commit }: ServerFacts): void {
  const registers = [registry];
  new Gauge({
    name: 'svc_build_info',
    help: 'Always 1; the labels say which build runs',
    labelNames: ['version', 'commit'],
    registers,
  }).set({ version, commit }, 1);
  new Gauge({
    name: 'svc_lifecycle_state',
    help: '1 for the state that the server is in, 0 for the others',
    labelNames: ['state'],
    registers,
    collect() {
      for (const state of LIFECYCLE_STATES) this.set({ state }, state === lifecycle.state ? 1 : 0);
    },
  });
  addUsageMetrics(registry);
  addEventLoopMetric(registry);
}

function addUsageMetrics(registry: Registry): void {
  const registers = [registry];
  new Counter({
    name: 'svc_process_cpu_seconds_total',
    help: 'CPU time of the process, all threads',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  new Gauge({
    name: 'svc_process_resident_memory_bytes',
    help: 'Memory of the process that is in RAM',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: 'svc_process_start_time_seconds',
    help: 'When the process started, in seconds since 1970',
    registers,
  }).set(performance.timeOrigin / 1000);
  new Gauge({
    name: 'svc_nodejs_heap_size_used_bytes',
    help: 'JavaScript heap in use, worker threads not included',
    registers,
    collect() {
      this.set(process.memoryUsage().heapUsed);
    },
  });
}

function addEventLoopMetric(registry: Registry): void {
  const delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  delay.enable();
  new Gauge({
    name: 'svc_nodejs_eventloop_lag_seconds',
    help: 'The longest time since the last scrape that the event loop was late',
    registers: [registry],
    collect() {
      // It measures the time from one tick to the next, of which the resolution itself is no delay.
      const lateMs = delay.max / 1e6 - LOOP_RESOLUTION_MS;
      delay.reset();
      this.set(Math.max(0, lateMs) / 1000);
    },
  });
}
