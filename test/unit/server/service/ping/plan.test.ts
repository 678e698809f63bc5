import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { appliedByField, noticeEvent } from '../../../../../src/server/service/ping/messages.ts';
import { pingPlan, probePlan } from '../../../../../src/server/service/ping/plan.ts';
import { nextInterval } from '../../../../../src/server/service/ping/probe-run.ts';
import { ServiceError } from '../../../../../src/shared/errors.ts';
import {
  PayloadType,
  type PingConfig,
  PingConfigSchema,
  PingOnceRequestSchema,
} from '../../../../../src/shared/gen/service/v1/ping_pb.ts';

const MIB = 1_048_576;

type Given = Partial<Omit<PingConfig, '$typeName'>>;
const plan = (given: Given = {}) => pingPlan(create(PingConfigSchema, given));

function refusal(given: Given): string {
  try {
    plan(given);
  } catch (error) {
    if (error instanceof ServiceError) return `${error.code} ${error.details}`;
    throw error;
  }
  return 'accepted';
}

describe('defaults', () => {
  test('apply to omitted fields', () => {
    expect(plan()).toEqual({
      count: 4,
      intervalMs: 1000,
      timeoutMs: 5000,
      maxInFlight: 1,
      jitter: false,
      labels: {},
      payload: 'ping'.repeat(16),
      clamps: [],
    });
  });

  test('are kept as given within the limits', () => {
    const given = { count: 100n, intervalMs: 10n, timeoutMs: 60_000n, payloadSizeBytes: BigInt(MIB), maxInFlight: 16n };
    const { payload, ...rest } = plan({ ...given, jitter: true, labels: { a: 'b' } });
    expect(payload).toHaveLength(MIB);
    expect(rest).toEqual({
      count: 100,
      intervalMs: 10,
      timeoutMs: 60_000,
      maxInFlight: 16,
      jitter: true,
      labels: { a: 'b' },
      clamps: [],
    });
  });
});

describe('clamps', () => {
  const limits: [code: string, field: string, given: Given, requested: string, applied: string][] = [
    ['COUNT_CLAMPED', 'count', { count: 1000n }, '1000', '100'],
    ['INTERVAL_CLAMPED', 'intervalMs', { intervalMs: 9n }, '9', '10'],
    ['INTERVAL_CLAMPED', 'intervalMs', { intervalMs: 2n ** 31n }, '2147483648', '3600000'],
    ['TIMEOUT_CLAMPED', 'timeoutMs', { timeoutMs: 60_001n }, '60001', '60000'],
    [
      'PAYLOAD_CLAMPED',
      'payloadSizeBytes',
      { payloadSizeBytes: 9_007_199_254_740_993n },
      '9007199254740993',
      '1048576',
    ],
    ['IN_FLIGHT_CLAMPED', 'maxInFlight', { maxInFlight: 17n }, '17', '16'],
  ];

  test.each(limits)('%s', (code, field, given, requested, applied) => {
    const { clamps } = plan(given);
    const details = { requested, applied };
    expect(clamps.map(noticeEvent).map(({ event }) => event.value)).toMatchObject([{ code, details }]);
    expect(appliedByField(clamps, '')).toEqual({ [field]: applied });
  });

  test('of a count have a sentence', () => {
    expect(plan({ count: 101n }).clamps[0]?.message).toBe('Probe count was reduced');
    expect(plan({ intervalMs: 9n }).clamps[0]?.message).toBe('Probe interval was raised');
    expect(plan({ intervalMs: 2n ** 62n }).clamps[0]?.message).toBe('Probe interval was reduced');
  });

  test('of one request are all reported', () => {
    const all = Object.assign({}, ...limits.map(([, , given]) => given)) as Given;
    expect(plan(all).clamps.map(({ code }) => code)).toEqual([...new Set(limits.map(([code]) => code))]);
  });

  test('of a single probe are named after their fields', () => {
    const request = create(PingOnceRequestSchema, { timeoutMs: 90_000n, payloadSizeBytes: 2_000_000n });
    expect(appliedByField(probePlan(request).clamps, 'clamped.')).toEqual({
      'clamped.timeoutMs': '60000',
      'clamped.payloadSizeBytes': '1048576',
    });
  });
});

describe('payload', () => {
  test.each([
    { given: { payloadSizeBytes: 0n }, expected: '' },
    { given: { payloadSizeBytes: 1n }, expected: 'p' },
    { given: { payloadSizeBytes: 6n }, expected: 'pingpi' },
    { given: { payload: '' }, expected: '' },
    { given: { payload: 'déjà vu' }, expected: 'déjà vu' },
    { given: { payload: '{"a":1}', payloadType: PayloadType.JSON }, expected: '{"a":1}' },
    { given: { payload: '{"a"', payloadType: PayloadType.TEXT }, expected: '{"a"' },
    { given: { payloadSizeBytes: 2n, payloadType: PayloadType.JSON }, expected: '""' },
    { given: { payloadSizeBytes: 8n, payloadType: PayloadType.JSON }, expected: '"pingpi"' },
  ])('of $given is $expected', ({ given, expected }) => {
    expect(plan(given).payload).toBe(expected);
  });

  test.each([
    { given: { payloadType: PayloadType.BINARY }, expected: 'payloadType: the target takes text only' },
    {
      given: { payload: 'x', payloadSizeBytes: 1n },
      expected: 'payloadSizeBytes: cannot be given together with payload',
    },
    { given: { payload: '{"a"', payloadType: PayloadType.JSON }, expected: 'payload: must be JSON' },
    {
      given: { payloadSizeBytes: 1n, payloadType: PayloadType.JSON },
      expected: 'payloadSizeBytes: must be at least 2 for a JSON payload',
    },
  ])('$expected', ({ given, expected }) => {
    expect(refusal(given)).toBe(`INVALID_ARGUMENT ${expected}`);
  });

  test('is measured in bytes', () => {
    expect(plan({ payload: 'é'.repeat(MIB / 2) }).payload).toHaveLength(MIB / 2);
    expect(refusal({ payload: 'é'.repeat(MIB / 2 + 1) })).toBe(
      'INVALID_ARGUMENT payload: must have at most 1048576 bytes',
    );
  });
});

describe('interval', () => {
  test.each([
    { random: 0, expected: 800 },
    { random: 0.25, expected: 900 },
    { random: 0.5, expected: 1000 },
    { random: 1, expected: 1200 },
  ])('with jitter at $random is $expected ms', ({ random, expected }) => {
    expect(nextInterval(1000, true, () => random)).toBeCloseTo(expected, 9);
  });

  test('is exact without jitter', () => {
    expect(nextInterval(1000, false, () => 0)).toBe(1000);
  });
});
