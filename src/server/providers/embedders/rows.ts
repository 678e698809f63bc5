import { decodeBase64 } from '../../../shared/json/base64.ts';
import { MalformedAnswer } from '../errors.ts';

/** A JSON array of numbers as a row. Anything but a number is refused, because it would turn into 0 or NaN silently. */
export function floatRow(value: unknown): Float32Array {
  if (!Array.isArray(value)) throw new MalformedAnswer('something other than an array of numbers as a vector');
  const row = new Float32Array(value.length);
  for (let i = 0; i < value.length; i++) {
    const entry: unknown = value[i];
    if (typeof entry !== 'number') throw new MalformedAnswer('a vector that holds something other than numbers');
    row[i] = entry;
  }
  return row;
}

/** Base64 of little-endian 32-bit floats as a row. */
export function base64Row(text: string): Float32Array {
  const bytes = decodeBase64(text);
  if (bytes === undefined || bytes.byteLength % 4 !== 0) {
    throw new MalformedAnswer('a vector that is not base64 of 32-bit floats');
  }
  // A copy: Buffers share a pool and start at odd offsets.
  return new Float32Array(new Uint8Array(bytes).buffer);
}

/** A JSON array of such arrays as rows. */
export function floatRows(value: unknown): Float32Array[] {
  if (!Array.isArray(value)) throw new MalformedAnswer('no array of vectors');
  return value.map(floatRow);
}

/**
 * Scales the row in place to length 1. False, and nothing changed, when it has no direction: a value that is not finite,
 * or a squared length of no more than `nothing`. Summed in double precision, where squares of 32-bit floats neither
 * overflow nor vanish.
 */
export function scaleToUnit(row: Float32Array, nothing = 0): boolean {
  let sum = 0;
  for (let i = 0; i < row.length; i++) {
    const value = row[i] ?? 0;
    sum += value * value;
  }
  if (!Number.isFinite(sum) || sum <= nothing) return false;
  const factor = 1 / Math.sqrt(sum);
  for (let i = 0; i < row.length; i++) row[i] = (row[i] ?? 0) * factor;
  return true;
}
