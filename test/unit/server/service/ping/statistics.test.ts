import { describe, expect, test } from 'vitest';
import type { ProbeOutcome } from '../../../../../src/server/providers/target.ts';
import { PingStatistics, verdictOf } from '../../../../../src/server/service/ping/statistics.ts';
import { nearestRank } from '../../../../../src/shared/rtt-figures.ts';

function outcome(extra: Partial<ProbeOutcome> = {}): ProbeOutcome {
  return {
    ok: true,
    httpStatus: 200,
    bytesSent: 100,
    bytesReceived: 900,
    rttMs: 10,
    clientSendTimeUnixNanos: 1n,
    clientReceiveTimeUnixNanos: 2n,
    serverReceivedTimeUnixNanos: 0n,
    serverSendTimeUnixNanos: 0n,
    timedOut: false,
    ...extra,
  };
}

function withoutStatus(extra: Partial<ProbeOutcome>): ProbeOutcome {
  const { httpStatus: _, ...rest } = outcome(extra);
  return rest;
}

const refused = outcome({ ok: false, httpStatus: 500, rttMs: 30 });
const dropped = withoutStatus({ ok: false, rttMs: 40, bytesReceived: 0 });
const late = withoutStatus({ ok: false, timedOut: true, rttMs: 5000, bytesReceived: 0 });
const inProcess = withoutStatus({ rttMs: 2 });

function statisticsOf(...outcomes: ProbeOutcome[]) {
  const statistics = new PingStatistics();
  outcomes.forEach((each, i) => {
    statistics.add({ outcome: each, startedMs: 1000 + i * 500, endedMs: 1250 + i * 500 });
  });
  return statistics.figures();
}

describe('nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
  test.each([
    { values: [], percent: 50, expected: 0 },
    { values: [7], percent: 50, expected: 7 },
    { values: [7], percent: 99, expected: 7 },
    { values: [1, 2], percent: 50, expected: 1 },
    { values: [1, 2], percent: 51, expected: 2 },
    { values: [1, 2, 3, 4], percent: 50, expected: 2 },
    { values: [1, 2, 3, 4], percent: 90, expected: 4 },
    { values: hundred, percent: 50, expected: 50 },
    { values: hundred, percent: 90, expected: 90 },
    { values: hundred, percent: 99, expected: 99 },
  ])('$percent % of $values.length values is $expected', ({ values, percent, expected }) => {
    expect(nearestRank(values, percent)).toBe(expected);
  });
});

describe('the figures of a ping', () => {
  test('are all 0 without a probe', () => {
    expect(new Set(Object.values(statisticsOf()))).toEqual(new Set([0]));
  });

  test('count responses, time-outs and errors separately', () => {
    const figures = statisticsOf(outcome(), refused, dropped, late, inProcess);
    expect(figures).toMatchObject({ requests: 5, responses: 3, ok: 2, timeouts: 1, errors: 2 });
  });

  test('take times from responses only', () => {
    const figures = statisticsOf(outcome(), refused, dropped, late, inProcess);
    expect(figures).toMatchObject({
      rttMinMs: 2,
      rttAvgMs: 14,
      rttP50Ms: 10,
      rttP90Ms: 30,
      rttP99Ms: 30,
      rttMaxMs: 30,
    });
    const thirds = statisticsOf(outcome({ rttMs: 0.1 }), outcome({ rttMs: 0.2 }), outcome({ rttMs: 0.3 }));
    expect(thirds.rttAvgMs).toBe(0.2);
    expect(statisticsOf(late)).toMatchObject({ requests: 1, responses: 0, rttMinMs: 0, rttAvgMs: 0, rttMaxMs: 0 });
  });

  test('count rates from the first start to the last end', () => {
    // 1000 … 2250 ms, bytes of both directions.
    const figures = statisticsOf(outcome(), outcome(), outcome());
    expect(figures.requestsPerSecond).toBeCloseTo(3 / 1.25, 9);
    expect(figures.bytesPerSecond).toBeCloseTo(3000 / 1.25, 9);
  });

  test('count rates over the whole time when probes finish out of order', () => {
    const statistics = new PingStatistics();
    statistics.add({ outcome: outcome(), startedMs: 1500, endedMs: 3000 });
    statistics.add({ outcome: outcome(), startedMs: 1000, endedMs: 2000 });
    expect(statistics.figures().requestsPerSecond).toBeCloseTo(2 / 2, 9);
  });
});

test('a probe has one outcome', () => {
  expect([outcome(), refused, dropped, late, inProcess].map(verdictOf)).toEqual([
    'ok',
    'error',
    'error',
    'timeout',
    'ok',
  ]);
});
