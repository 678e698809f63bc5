import { Counter, type Registry } from 'prom-client';

/**
 * Counts the events of streams. There may be thousands in one call, so they are counted in plain maps and become series
 * when somebody scrapes: 0.03 µs each instead of 1.3.
 */
export function createStreamEventCounter(registry: Registry): (operation: string, event: string) => void {
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
