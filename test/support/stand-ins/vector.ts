import { createHash } from 'node:crypto';

/**
 * A deterministic vector of a text that is not of unit length: the sum of one pseudo-random vector for each word, so
 * that texts which share words are near each other.
 */
export function standInVector(text: string, dimensions: number): number[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [''];
  const sum = new Array<number>(dimensions).fill(0);
  for (const word of words) {
    let block = Buffer.alloc(0);
    for (let i = 0; i < dimensions; i++) {
      if (i % 8 === 0) block = createHash('sha256').update(`${i}:${word}`).digest();
      sum[i] = (sum[i] ?? 0) + block.readInt32LE((i % 8) * 4) / 2 ** 31;
    }
  }
  return sum;
}
