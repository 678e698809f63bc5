import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { LoadedSettings } from '../settings/load.ts';
import { SettingsError, unreadable } from '../settings/settings-error.ts';
import { type FlagName, problemOf } from '../settings/table.ts';

/** Larger than any chain, and small enough to notice a mistyped path to a huge file before it is read. */
const MAX_FILE_BYTES = 1_048_576;

/** What is wrong with one of the two files, and what to do about it. */
class FileProblem extends Error {
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(problem);
    this.name = 'FileProblem';
    this.remedy = remedy;
  }
}

/**
 * The supplied certificate and key as PEM, checked to belong together and to make a working TLS server; undefined when
 * none is configured.
 *
 * @throws SettingsError with the problems of both files.
 */
export async function loadTlsFiles({
  settings: { tlsCertFile, tlsKeyFile },
  sources,
}: Pick<LoadedSettings, 'settings' | 'sources'>): Promise<{ cert: string; key: string } | undefined> {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  const [cert, key] = await Promise.allSettled([
    readPem(tlsCertFile).then((pem) => ({ pem, chain: parseChain(pem, tlsCertFile) })),
    readPem(tlsKeyFile).then((pem) => ({ pem, key: parseKey(pem, tlsKeyFile) })),
  ]);
  const problem = (flag: FlagName, source: (typeof sources)['tlsCertFile'], reason: unknown) => {
    if (!(reason instanceof FileProblem)) throw reason;
    return problemOf(flag, source, { problem: reason.message, remedy: reason.remedy });
  };
  if (cert.status === 'rejected' || key.status === 'rejected') {
    throw new SettingsError([
      ...(cert.status === 'rejected' ? [problem('tls-cert-file', sources.tlsCertFile, cert.reason)] : []),
      ...(key.status === 'rejected' ? [problem('tls-key-file', sources.tlsKeyFile, key.reason)] : []),
    ]);
  }
  try {
    checkPair(cert.value.chain, key.value.key, tlsCertFile);
    checkUsable(cert.value.pem, key.value.pem);
  } catch (error) {
    throw new SettingsError([problem('tls-key-file', sources.tlsKeyFile, error)], { cause: error });
  }
  return { cert: cert.value.pem, key: key.value.pem };
}

async function readPem(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size <= MAX_FILE_BYTES) return await readFile(file, 'utf8');
  } catch (error) {
    throw new FileProblem(unreadable(file, error), 'give a file that the server may read');
  }
  throw new FileProblem(`${file} is larger than ${MAX_FILE_BYTES} bytes`, 'give a PEM file');
}

function parseChain(pem: string, file: string): readonly [X509Certificate, ...X509Certificate[]] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const [leaf, ...issuers] = blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new FileProblem(
        `certificate ${index + 1} in ${file} cannot be read`,
        'give an intact PEM certificate or chain',
      );
    }
  });
  if (leaf !== undefined) return [leaf, ...issuers];
  throw new FileProblem(
    `${file} contains no PEM certificate`,
    'give a PEM file that contains -----BEGIN CERTIFICATE-----',
  );
}

/** Accepts what is documented, PKCS#1 and PKCS#8. OpenSSL would also accept SEC1, which then fails elsewhere. */
function parseKey(pem: string, file: string): KeyObject {
  const convert = 'convert it with: openssl pkcs8 -topk8 -nocrypt';
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(pem)) {
    throw new FileProblem(`the key in ${file} is encrypted`, convert);
  }
  if (!/-----BEGIN (RSA )?PRIVATE KEY-----/.test(pem)) {
    throw new FileProblem(`${file} contains no PEM key in PKCS#1 or PKCS#8`, convert);
  }
  try {
    return createPrivateKey(pem);
  } catch {
    throw new FileProblem(`the key in ${file} cannot be read`, 'give an intact PEM key, PKCS#1 or PKCS#8');
  }
}

function checkPair([leaf, ...issuers]: readonly [X509Certificate, ...X509Certificate[]], key: KeyObject, file: string) {
  if (leaf.checkPrivateKey(key)) return;
  if (issuers.some((certificate) => certificate.checkPrivateKey(key))) {
    throw new FileProblem(
      `belongs to a later certificate in ${file}`,
      "put the server's certificate first in the chain",
    );
  }
  throw new FileProblem(
    `does not belong to the certificate in ${file}`,
    'give the key that the certificate was made for',
  );
}

/** OpenSSL may refuse what parses, such as keys that are too short for its security level. */
function checkUsable(cert: string, key: string): void {
  try {
    createSecureContext({ cert, key, minVersion: 'TLSv1.2' });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FileProblem(
      `and the certificate cannot be used for TLS: ${reason}`,
      'give a pair that this OpenSSL accepts',
    );
  }
}
