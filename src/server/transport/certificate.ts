// @peculiar/x509 registers its algorithms through decorators and throws on import without this polyfill; it must come first.
import 'reflect-metadata';

import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { KEY_ALGORITHM, makeCertificateKey } from './certificate-key.ts';

const SERIAL_BYTES = 16;
const BACKDATED_MS = 60_000;
const VALID_MS = 365 * 24 * 60 * 60 * 1000;
/** The limit of X.520. Clients match the subject alternative names and not this one, so a longer name is cut. */
const COMMON_NAME_CHARACTERS = 64;

export interface SelfSignedCertificate {
  certPem: string;
  /** PKCS#8, unencrypted. */
  keyPem: string;
}

/**
 * A self-signed server certificate for `hostnames` (bare names and IP addresses, at least one), valid for 365 days from
 * one minute before `now`: the certificate must already be valid for clients whose clocks run a little behind.
 */
export async function createSelfSignedCertificate(
  hostnames: readonly string[],
  now: Date = new Date(),
  making: Promise<webcrypto.CryptoKeyPair> = makeCertificateKey(),
): Promise<SelfSignedCertificate> {
  const keys = await making;
  // Certificates count whole seconds.
  const notBefore = new Date(Math.floor((now.getTime() - BACKDATED_MS) / 1000) * 1000);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: randomSerial().toString('hex'),
      name: [{ CN: [(hostnames[0] ?? 'localhost').slice(0, COMMON_NAME_CHARACTERS)] }],
      notBefore,
      notAfter: new Date(notBefore.getTime() + VALID_MS),
      keys,
      signingAlgorithm: KEY_ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(
          hostnames.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
        ),
      ],
    },
    webcrypto,
  );
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { certPem: certificate.toString('pem'), keyPem: PemConverter.encode(key, PemConverter.PrivateKeyTag) };
}

/** 128 random bits. A leading zero byte would make the number shorter, so such a draw is repeated. */
function randomSerial(): Buffer {
  for (;;) {
    const bytes = Buffer.from(webcrypto.getRandomValues(new Uint8Array(SERIAL_BYTES)));
    if (bytes[0] !== 0) return bytes;
  }
}
