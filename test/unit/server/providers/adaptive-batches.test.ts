import { describe, expect, it } from 'vitest';
import { isTooLarge, planBatches } from '../../../../src/server/providers/adaptive-batches.ts';
import { ProviderError } from '../../../../src/server/providers/errors.ts';
import { statusError } from '../../../../src/server/providers/status-errors.ts';

describe('planBatches', () => {
  it('cuts by count and by characters and leaves nothing out', () => {
    const limits = { maxTexts: 3, maxCharacters: 10 };
    expect(planBatches([], limits)).toEqual([]);
    expect(planBatches(['a', 'b', 'c', 'd'], limits)).toEqual([
      { start: 0, end: 3 },
      { start: 3, end: 4 },
    ]);
    expect(planBatches(['12345', '12345', '1', '12345678901', '1'], limits)).toEqual([
      { start: 0, end: 2 },
      { start: 2, end: 3 },
      { start: 3, end: 4 },
      { start: 4, end: 5 },
    ]);
  });
});

describe('a request that is too large for a provider', () => {
  const context = { provider: 'TEI', url: 'http://tei.example', secretHeaders: {} };
  const answered = (status: number, message: string) => {
    const timing = { sentUnixNanos: 0n, receivedUnixNanos: 0n, rttMs: 0 };
    const body = Buffer.from(JSON.stringify({ message }));
    return statusError({ status, headers: {}, body, bytesSent: 0, bytesReceived: 0, timing }, context);
  };

  it.each([
    [413, 'no', true],
    [422, 'batch size 64 > maximum allowed batch size 32', true],
    [400, "This model's maximum context length is 512 tokens", true],
    [400, 'the model is unknown', false],
    // A limit that passes by itself is none of the size.
    [429, 'too many requests', false],
  ])('is detected by the status: %i %s', (status, message, expected) => {
    expect(isTooLarge(answered(status, message))).toBe(expected);
  });

  it('is not detected by the message of the error', () => {
    expect(isTooLarge(new ProviderError('rejected', 'TEI answered 400: "too large"'))).toBe(false);
    expect(isTooLarge(new ProviderError('rejected', 'worded otherwise', { oversized: true }))).toBe(true);
  });
});
