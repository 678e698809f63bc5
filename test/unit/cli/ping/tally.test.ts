import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { lossPercent, tallyOf, timeSplit } from '../../../../src/cli/ping/tally.ts';
import { type PingResult, PingResultSchema } from '../../../../src/shared/gen/service/v1/ping_pb.ts';

function probe(fields: Omit<MessageInitShape<typeof PingResultSchema>, '$typeName'>): PingResult {
  return create(PingResultSchema, { ok: true, rttMs: 10, ...fields });
}

describe('the tally of a running ping', () => {
  test('counts as the server does: times are those of the answered probes', () => {
    const tally = tallyOf([
      probe({ rttMs: 10, httpStatus: 200 }),
      probe({ rttMs: 30, httpStatus: 500, ok: false }),
      probe({ rttMs: 5000, ok: false }),
      probe({ rttMs: 2 }),
    ]);
    expect(tally).toEqual({
      requests: 4,
      responses: 3,
      ok: 2,
      rttMinMs: 2,
      rttAvgMs: 14,
      rttP50Ms: 10,
      rttP90Ms: 30,
      rttP99Ms: 30,
      rttMaxMs: 30,
    });
    expect(lossPercent(tally)).toBe(50);
  });

  test('is all 0 before the first probe, and has no times when nothing was answered', () => {
    expect(new Set(Object.values(tallyOf([])))).toEqual(new Set([0]));
    expect(lossPercent(tallyOf([]))).toBe(0);
    expect(tallyOf([probe({ ok: false })])).toMatchObject({ requests: 1, responses: 0, rttMaxMs: 0 });
  });
});

describe('breakdown of the time of a probe', () => {
  const timing = (received: bigint, sent: bigint) => ({
    rttMs: 10,
    timing: probe({
      timing: {
        clientSendTimeUnixNanos: 1n,
        serverReceivedTimeUnixNanos: received,
        serverSendTimeUnixNanos: sent,
        clientReceiveTimeUnixNanos: 2n,
      },
    }).timing,
  });

  test.each([
    { name: 'the target reports its times', received: 1_000_000n, sent: 5_000_000n, split: { network: 6, server: 4 } },
    { name: 'the target reports no times', received: 0n, sent: 0n, split: undefined },
    { name: 'the target reports one of two times', received: 0n, sent: 5_000_000n, split: undefined },
    { name: 'the answer precedes the request', received: 5_000_000n, sent: 1_000_000n, split: undefined },
    { name: 'the time of the target exceeds the total', received: 1n, sent: 11_000_001n, split: undefined },
  ])('$name', ({ received, sent, split }) => {
    expect(timeSplit(timing(received, sent))).toEqual(split);
  });

  test('without timing there is no breakdown', () => {
    expect(timeSplit({ rttMs: 10, timing: undefined })).toBeUndefined();
  });
});
