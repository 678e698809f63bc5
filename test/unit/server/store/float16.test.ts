import { describe, expect, test } from 'vitest';
import { toFloat16 } from '../../../../src/server/store/float16.ts';

/** The value of 16 bits by the definition of the format, as an independent check. */
function fromFloat16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

describe('toFloat16', () => {
  test('preserves every half', () => {
    const all = Array.from({ length: 0x10000 }, (_, bits) => bits).filter((bits) => !Number.isNaN(fromFloat16(bits)));
    expect(all.map((bits) => toFloat16(fromFloat16(bits)))).toEqual(all);
    expect(toFloat16(Number.NaN)).toBe(0x7e00);
  });

  test('rounds to nearest, ties to even, between any two neighbors', () => {
    const all = Array.from({ length: 0x7bff }, (_, bits) => bits);
    const rounded = all.map((bits) => {
      const [low, high] = [fromFloat16(bits), fromFloat16(bits + 1)];
      const middle = (low + high) / 2;
      const step = (high - low) / 1024;
      return [middle, -middle, middle - step, middle + step].map(toFloat16);
    });
    const evenOf = (bits: number) => bits + (bits % 2);
    expect(rounded).toEqual(all.map((bits) => [evenOf(bits), evenOf(bits) | 0x8000, bits, bits + 1]));
  });

  test('overflows to infinity at the next step', () => {
    expect(toFloat16(65519.99)).toBe(0x7bff);
    expect(toFloat16(65520)).toBe(0x7c00);
    expect(toFloat16(-1e30)).toBe(0xfc00);
  });
});
