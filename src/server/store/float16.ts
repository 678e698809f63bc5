const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** Shifts right and rounds to nearest, ties to even: the rounding of IEEE 754 and of pgvector. */
function roundShift(value: number, shift: number): number {
  const kept = value >>> shift;
  const rest = value & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return rest > half || (rest === half && (kept & 1) === 1) ? kept + 1 : kept;
}

/** The 16 bits of a half-precision float nearest to `value`; beyond ±65519 it is infinity. */
export function toFloat16(value: number): number {
  float[0] = value;
  const all = bits[0] ?? 0;
  const sign = (all >>> 16) & 0x8000;
  const magnitude = all & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  // Normal halves: re-bias the exponent by 112 and drop 13 bits; a carry out of the fraction raises the exponent.
  if (magnitude >= 0x38800000) return sign | roundShift(magnitude - 0x38000000, 13);
  // Subnormal halves are multiples of 2^-24; at or below half of that everything is zero.
  if (magnitude <= 0x33000000) return sign;
  const exponent = magnitude >>> 23;
  return sign | roundShift((magnitude & 0x7fffff) | 0x800000, 126 - exponent);
}
