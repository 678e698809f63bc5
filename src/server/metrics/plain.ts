/**
 * Metrics that are counted in plain maps and arrays and become series at the scrape: what every call counts several times
 * takes 0.05 µs each instead of 1 to 5.
 */
import { Counter, type Metric, type Registry } from 'prom-client';

interface PlainOptions {
  name: string;
  help: string;
  /** Their values come in this order, and are of a bounded set. */
  labelNames: readonly string[];
}

/** By the values of the labels. */
class ByLabels<T> {
  readonly #entries = new Map<string, { values: readonly string[]; held: T }>();
  readonly #create: () => T;

  constructor(create: () => T) {
    this.#create = create;
  }

  of(values: readonly string[]): T {
    const key = values.length === 1 ? (values[0] ?? '') : values.join('\n');
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { values, held: this.#create() };
      this.#entries.set(key, entry);
    }
    return entry.held;
  }

  *series(labelNames: readonly string[]): Iterable<{ labels: Record<string, string>; held: T }> {
    for (const { values, held } of this.#entries.values()) {
      yield { labels: Object.fromEntries(labelNames.map((name, index) => [name, values[index] ?? ''])), held };
    }
  }
}

/** A counter; each call of what is returned adds one. */
export function plainCounter(registry: Registry, { name, help, labelNames }: PlainOptions) {
  const counts = new ByLabels(() => ({ count: 0 }));
  new Counter({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, held } of counts.series(labelNames)) this.inc(labels, held.count);
    },
  });
  return (...values: string[]): void => {
    counts.of(values).count += 1;
  };
}

/** A histogram of seconds; `buckets` are upper bounds in rising order. */
export function plainHistogram(
  registry: Registry,
  { name, help, labelNames, buckets }: PlainOptions & { buckets: readonly number[] },
) {
  const observed = new ByLabels(() => ({ counts: buckets.map(() => 0), sum: 0, count: 0 }));
  const get = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: [...valuesOf()] });
  function* valuesOf() {
    for (const { labels, held } of observed.series(labelNames)) {
      let below = 0;
      for (const [index, bound] of buckets.entries()) {
        below += held.counts[index] ?? 0;
        yield { metricName: `${name}_bucket`, labels: { le: bound, ...labels }, value: below };
      }
      yield { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: held.count };
      yield { metricName: `${name}_sum`, labels, value: held.sum };
      yield { metricName: `${name}_count`, labels, value: held.count };
    }
  }
  // A registry asks a metric for its name and its values, and nothing else.
  registry.registerMetric({ name, get } as unknown as Metric);
  return (seconds: number, ...values: string[]): void => {
    const held = observed.of(values);
    const index = buckets.findIndex((bound) => seconds <= bound);
    if (index >= 0) held.counts[index] = (held.counts[index] ?? 0) + 1;
    held.sum += seconds;
    held.count += 1;
  };
}
