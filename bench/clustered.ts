import { random } from './texts.ts';

const CLUSTERS = 200;
/** How far the vectors of a cluster are from its center, whose length is 1. */
const SPREAD = 1;
const centers = new Map<string, Float32Array>();

/**
 * A vector of length 1 for a text: in one of two hundred clusters, both chosen by a hash of the text. Equal texts have equal
 * vectors, and questions are distributed as documents are.
 */
export function clustered(text: string, dimensions: number): Float32Array {
  const seed = hash(text);
  const cluster = seed % CLUSTERS;
  const key = `${cluster} ${dimensions}`;
  const center = centers.get(key) ?? direction(random(cluster), dimensions);
  centers.set(key, center);
  const offset = direction(random(seed), dimensions);
  return normalized(center.map((value, index) => value + SPREAD * (offset[index] ?? 0)));
}

function direction(next: () => number, dimensions: number): Float32Array {
  // The sum of four is near enough to normally distributed.
  return normalized(new Float32Array(dimensions).map(() => next() + next() + next() + next() - 2));
}

function normalized(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

/** FNV-1a over the UTF-16 code units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
