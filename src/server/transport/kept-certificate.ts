import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { syncDirectory, writeDurably } from '../files/durable-file.ts';
import { CERTIFICATE_ENDS_SOON_MS } from '../service/system/diagnosis/certificate.ts';

/** Certificate and key in one file, because two could not be replaced in one step. */
const FILE = 'self-signed.pem';

/** PEM: a certificate and its key. */
export interface CertificatePair {
  cert: string;
  key: string;
}

/**
 * The self-signed certificate in a data directory, kept so that clients that pin it, and browsers, go on accepting it.
 */
export class KeptCertificate {
  readonly file: string;
  readonly #directory: string;

  constructor(dataDir: string) {
    this.file = join(dataDir, FILE);
    this.#directory = dataDir;
  }

  /**
   * The kept certificate; no pair when there is none, when it is for other names than `hostnames`, or when it expires
   * soon. One that cannot be used does not prevent the start: a warning says why a new one replaces it.
   */
  async read(
    hostnames: readonly string[],
    now: Date = new Date(),
  ): Promise<{ pair?: CertificatePair; warnings: readonly string[] }> {
    let text: string;
    try {
      text = await readFile(this.file, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { warnings: [] };
      return { warnings: [this.#unusable(error instanceof Error ? error.message : String(error))] };
    }
    const cert = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/.exec(text)?.[0] ?? '';
    const key = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n?/.exec(text)?.[0] ?? '';
    const leaf = parse(cert, key);
    if (leaf === undefined) return { warnings: [this.#unusable('it does not contain a certificate and its key')] };
    const stays = isValidFor(leaf, now) && isForExactly(leaf, hostnames);
    return stays ? { pair: { cert, key }, warnings: [] } : { warnings: [] };
  }

  /** Replaces the kept certificate, durably and atomically; only the owner of the file can read it. */
  async replace({ cert, key }: CertificatePair): Promise<void> {
    const draft = `${this.file}.${randomUUID()}`;
    try {
      await writeDurably(draft, `${cert.trimEnd()}\n${key.trimEnd()}\n`);
      await rename(draft, this.file);
      await syncDirectory(this.#directory);
    } finally {
      await rm(draft, { force: true });
    }
  }

  #unusable(reason: string): string {
    return `The kept certificate ${this.file} cannot be used (${reason}); a new one replaces it.`;
  }
}

/** Undefined when one of the two does not parse, or they do not match. */
function parse(cert: string, key: string): X509Certificate | undefined {
  try {
    const leaf = new X509Certificate(cert);
    return leaf.checkPrivateKey(createPrivateKey(key)) ? leaf : undefined;
  } catch {
    return undefined;
  }
}

function isValidFor(leaf: X509Certificate, now: Date): boolean {
  const left = new Date(leaf.validTo).getTime() - now.getTime();
  return left > CERTIFICATE_ENDS_SOON_MS && new Date(leaf.validFrom).getTime() <= now.getTime();
}

/**
 * Whether the certificate has exactly these names: one that was removed from the setting must not stay in it for a
 * year.
 */
function isForExactly(leaf: X509Certificate, hostnames: readonly string[]): boolean {
  const count = leaf.subjectAltName?.split(', ').length ?? 0;
  const isNamed = (name: string) =>
    (isIP(name) === 0 ? leaf.checkHost(name, { subject: 'never' }) : leaf.checkIP(name)) !== undefined;
  return count === hostnames.length && hostnames.every(isNamed);
}
