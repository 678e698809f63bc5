import { hash, randomBytes } from 'node:crypto';

const PREFIX = 'svc_';
const RANDOM_BYTES = 20;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Longer texts are no keys, and are not hashed. */
const MAX_LENGTH = 256;

/** A new raw key: `svc_` and 160 random bits in lower-case base32. */
export function generateRawKey(): string {
  return PREFIX + base32(randomBytes(RANDOM_BYTES));
}

/** What may be shown of a key, to tell it from others. */
export function keyPrefix(rawKey: string): string {
  return rawKey.slice(0, 8);
}

/** Whether a text has the form of a key, so that looking it up makes sense. */
export function isKeyShaped(text: string): boolean {
  return text.startsWith(PREFIX) && text.length > PREFIX.length && text.length <= MAX_LENGTH;
}

/** What is stored of a key: SHA3-256 in FIPS mode, SHA-256 otherwise. */
export function keyHash(rawKey: string, fips: boolean): Buffer {
  return hash(fips ? 'sha3-256' : 'sha256', rawKey, 'buffer');
}

/** Every hash under which a key may be stored, so that keys survive a change of mode. */
export function keyHashes(rawKey: string): readonly [Buffer, Buffer] {
  return [keyHash(rawKey, false), keyHash(rawKey, true)];
}

/** RFC 4648 in lower case; whole groups of five bytes need no padding. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET.charAt((held >>> (bits - 5)) & 31);
    held &= (1 << bits) - 1;
  }
  return text;
}
