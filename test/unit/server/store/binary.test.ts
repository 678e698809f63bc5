import { describe, expect, test } from 'vitest';
import { halfvecArray, uuidArray } from '../../../../src/server/store/binary.ts';

describe('binary parameters', () => {
  test('a text that is not a UUID is refused before it is sent', () => {
    expect(() => uuidArray(['018f0000-0000-7000-8000-00000000000'])).toThrow(/not a UUID/);
    expect(() => uuidArray(['018f0000-0000-7000-8000-00000000000g'])).toThrow(/not a UUID/);
    expect(() => uuidArray(['018f00000000700080000000000000000000'])).toThrow(/not a UUID/);
  });

  test('vectors of different dimensions do not go into one array', () => {
    expect(() => halfvecArray(1, [new Float32Array(3), new Float32Array(2)])).toThrow(/one dimension/);
  });
});
