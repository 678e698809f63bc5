import { Counter, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { plainCounter, plainHistogram } from '../../../../src/server/metrics/plain.ts';

const buckets = [0.01, 0.1, 1];
const observations: readonly [seconds: number, ...labels: string[]][] = [
  [0.005, 'a', 'x'],
  [0.01, 'a', 'x'],
  [0.0101, 'b "quoted"', 'x'],
  [1, 'a', 'y'],
  [1.5, 'a', 'x'],
];

test('a histogram has the text of one of the library', async () => {
  const described = { name: 'seconds', help: 'How long', labelNames: ['first', 'second'] };
  const [plain, library] = [new Registry(), new Registry()];
  const observe = plainHistogram(plain, { ...described, buckets });
  const histogram = new Histogram({ ...described, buckets, registers: [library] });
  expect(await plain.metrics()).toBe(await library.metrics());
  for (const [seconds, first = '', second = ''] of observations) {
    observe(seconds, first, second);
    histogram.observe({ first, second }, seconds);
  }
  expect(await plain.metrics()).toBe(await library.metrics());
  expect(await plain.metrics()).toContain('seconds_bucket{le="0.1",first="a",second="x"} 2');
});

test('a counter counts by the values of its labels, through every scrape', async () => {
  const described = { name: 'calls_total', help: 'Calls', labelNames: ['first', 'second'] };
  const [plain, library] = [new Registry(), new Registry()];
  const count = plainCounter(plain, described);
  const counter = new Counter({ ...described, registers: [library] });
  for (let scrape = 0; scrape < 2; scrape += 1) {
    for (const [, first = '', second = ''] of observations) {
      count(first, second);
      counter.inc({ first, second });
    }
    expect(await plain.metrics()).toBe(await library.metrics());
  }
});
