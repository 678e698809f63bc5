/**
 * The bytes of standard or URL-safe base64, padded or not; `undefined` when the text is anything else. Buffer skips
 * characters that are not base64, so a stray one shows as missing bytes. Comparing the lengths is far cheaper on 64 MB
 * than checking the text first.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  if (padding > 0 && text.length % 4 !== 0) return undefined;
  const digits = text.length - padding;
  if (digits % 4 === 1) return undefined;
  const size = Math.floor((digits * 3) / 4);
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== size) return undefined;
  return hasCanonicalEnd(text.slice(digits - (digits % 4), digits), bytes) ? bytes : undefined;
}

/** The unused bits of the last digit must be zero, or two texts would stand for the same bytes. */
function hasCanonicalEnd(rest: string, bytes: Buffer): boolean {
  if (rest === '') return true;
  const last = bytes.subarray(bytes.length - (bytes.length % 3));
  return last.toString('base64url') === rest.replace(/\+/g, '-').replace(/\//g, '_');
}
