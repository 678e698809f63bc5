import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  openSecret,
  parseSecretsKey,
  sealSecret,
  secretsKeyFingerprint,
} from '../../../../../src/server/service/credentials/sealing.ts';

const KEY = Buffer.alloc(32, 7);
const OTHER_KEY = Buffer.alloc(32, 8);
const ID = '01980000-0000-7000-8000-0000000000c1';
const OTHER_ID = '01980000-0000-7000-8000-0000000000c2';

describe('sealing', () => {
  it('unseals what it sealed, with another ciphertext each time', () => {
    for (const secret of ['a secret', 'söcret 🎉', 'x'.repeat(8192)]) {
      const [first, second] = [sealSecret(KEY, ID, secret), sealSecret(KEY, ID, secret)];
      expect(openSecret(KEY, ID, first)).toBe(secret);
      expect(openSecret(KEY, ID.toUpperCase(), second)).toBe(secret);
      expect(first.equals(second)).toBe(false);
      expect(first.includes(secret)).toBe(false);
    }
  });

  it('unseals neither in another row nor with another key', () => {
    const sealed = sealSecret(KEY, ID, 'secret');
    expect(openSecret(KEY, OTHER_ID, sealed)).toBeUndefined();
    expect(openSecret(OTHER_KEY, ID, sealed)).toBeUndefined();
  });

  it('unseals nothing with a changed or missing byte', () => {
    const sealed = sealSecret(KEY, ID, 'secret');
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(i) ^ 1, i);
      expect(openSecret(KEY, ID, changed)).toBeUndefined();
      expect(openSecret(KEY, ID, sealed.subarray(0, i))).toBeUndefined();
    }
  });

  it('distinguishes keys by a fingerprint that is not the key', () => {
    expect(secretsKeyFingerprint(KEY)).toBe(secretsKeyFingerprint(Buffer.from(KEY)));
    expect(secretsKeyFingerprint(KEY)).not.toBe(secretsKeyFingerprint(OTHER_KEY));
    expect(secretsKeyFingerprint(KEY)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('reads keys as openssl rand -base64 32 writes them, and nothing else', () => {
    const made = execFileSync('openssl', ['rand', '-base64', '32'], { encoding: 'utf8' });
    expect(parseSecretsKey(made)).toHaveLength(32);
    for (const text of [
      '',
      'secret',
      randomBytes(31).toString('base64'),
      randomBytes(33).toString('base64'),
      `${made}x`,
    ]) {
      expect(parseSecretsKey(text)).toBeUndefined();
    }
  });
});
