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
