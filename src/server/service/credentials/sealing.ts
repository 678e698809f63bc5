import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { failedPrecondition } from '../../../shared/errors.ts';

export const SECRETS_KEY_BYTES = 32;

/** Layout of a sealed secret: version, nonce, tag, ciphertext. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/** The key of SERVICE_SECRETS_KEY or of a key file: base64 of 32 bytes, undefined for anything else. */
export function parseSecretsKey(text: string): Buffer | undefined {
  const trimmed = text.trim();
  if (!/^[A-Za-z0-9+/]{43}=?$/.test(trimmed)) return undefined;
  const key = Buffer.from(trimmed, 'base64');
  return key.byteLength === SECRETS_KEY_BYTES ? key : undefined;
}

/** The key, or the FAILED_PRECONDITION that tells how to get one. */
export function requireSecretsKey(key: Uint8Array | undefined): Uint8Array {
  if (key !== undefined) return key;
  throw failedPrecondition('An inline secret cannot be stored without a secrets key', {
    details: 'set SERVICE_SECRETS_KEY; make one with: openssl rand -base64 32',
  });
}

/**
 * Seals a secret with AES-256-GCM under a fresh nonce. The resource's id is part of what is authenticated, so that a
 * ciphertext that is copied into another row does not open there.
 */
export function sealSecret(key: Uint8Array, resourceId: string, secret: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', subkey(key, 'seal'), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(resourceId));
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]);
}

/** The secret, or undefined when it was sealed for another resource or with another key, or was changed. */
export function openSecret(key: Uint8Array, resourceId: string, sealed: Uint8Array): string | undefined {
  if (sealed.byteLength < HEADER_BYTES || sealed[0] !== VERSION) return undefined;
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', subkey(key, 'seal'), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(resourceId));
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    // GCM has one failure, on purpose: the tag does not fit.
    return undefined;
  }
}

/** What the database remembers of the key: tells keys apart and nothing about them. Hexadecimal. */
export function secretsKeyFingerprint(key: Uint8Array): string {
  return createHmac('sha256', subkey(key, 'fingerprint')).update('key').digest('hex');
}

/** Keyed digest of a text, hexadecimal: equal texts are found again, guesses cannot be checked without the key. */
export function keyedDigest(key: Uint8Array, text: string): string {
  return createHmac('sha256', subkey(key, 'digest')).update(text, 'utf8').digest('hex');
}

function associatedData(resourceId: string): Buffer {
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(resourceId.toLowerCase(), 'utf8')]);
}

/** One key for each use, so that none of them can weaken another. */
function subkey(key: Uint8Array, use: 'seal' | 'fingerprint' | 'digest'): Buffer {
  return Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `credentials ${use} 1`, 32));
}
