import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecentStatistics } from '../../../../src/server/metrics/recent.ts';

/** Statistics on a clock that the test sets. */
function statistics() {
  const clock = { ms: 1_000_000 };
  return { clock, recent: createRecentStatistics(() => clock.ms) };
}

const times = fc.array(fc.double({ min: 0.02, max: 1_000_000, noNaN: true }), { minLength: 1, maxLength: 300 });

describe('recent statistics', () => {
  it('are empty without calls', () => {
    const { recent } = statistics();
    expect([recent.requests(), recent.stages()]).toEqual([{}, {}]);
  });

  it('count calls and errors by name, requests apart from stages', () => {
    const { recent } = statistics();
    recent.request('GetSpace', 3, true);
    recent.request('GetSpace', 5, false);
    recent.request('ListSpaces', 1, true);
    recent.stage('embed', 2, true);
    const requests = recent.requests();
    expect(Object.keys(requests).toSorted()).toEqual(['GetSpace', 'ListSpaces']);
    expect(requests.GetSpace).toMatchObject({ count: 2, errors: 1 });
    expect(recent.stages().embed).toMatchObject({ count: 1, errors: 0 });
  });

  it('give each percentile within 5 % of the exact value', () => {
    fc.assert(
      fc.property(times, (durations) => {
        const { recent } = statistics();
        for (const ms of durations) recent.request('GetSpace', ms, true);
        const figures = recent.requests().GetSpace;
        const sorted = durations.toSorted((a, b) => a - b);
        for (const [share, told] of [
          [0.5, figures?.p50Ms],
          [0.99, figures?.p99Ms],
        ] as const) {
          const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
          expect(Math.abs((told ?? 0) / exact - 1)).toBeLessThan(0.05);
        }
      }),
    );
  });

  it('include times beyond the last bucket', () => {
    const { recent } = statistics();
    for (const ms of [0, 1e-9, 1e12]) recent.stage('load', ms, true);
    expect(recent.stages().load).toMatchObject({ count: 3, p50Ms: expect.any(Number), p99Ms: expect.any(Number) });
  });

  it('forget what is older than a minute and keep what is younger than 55 seconds', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 60 }), (gaps) => {
        const { clock, recent } = statistics();
        const moments: number[] = [];
        for (const gap of gaps) {
          clock.ms += gap;
          moments.push(clock.ms);
          recent.request('GetSpace', 1, true);
          const count = recent.requests().GetSpace?.count ?? 0;
          const since = (ms: number) => moments.filter((moment) => clock.ms - moment < ms).length;
          expect(count).toBeGreaterThanOrEqual(since(55_000));
          expect(count).toBeLessThanOrEqual(since(60_000));
        }
      }),
    );
  });
});
