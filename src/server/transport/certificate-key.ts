import { webcrypto } from 'node:crypto';

/** RSA with 2048 bits; its signatures come out as SHA256withRSA. */
export const KEY_ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
};

/**
 * The key of a certificate. WebCrypto makes it on a thread of its own; the event loop stays free. Apart from what signs the
 * certificate, so that the library for that is loaded meanwhile.
 */
export function makeCertificateKey(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
}
