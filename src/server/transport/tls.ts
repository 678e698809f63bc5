import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { syncDirectory, writeDurably } from '../files/durable-file.ts';
import { CERTIFICATE_ENDS_SOON_MS } from '../service/system/diagnosis/findings.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { tlsEndpoints } from '../settings/tls-rules.ts';
import { makeCertificateKey } from './certificate-key.ts';
import { loadTlsFiles } from './tls-files.ts';

/**
 * Every suite has forward secrecy and authenticated encryption. By default Node.js also offers RSA key exchange, with
 * which one stolen key decrypts all recorded traffic, and encryption in CBC mode.
 */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  ...['AES256-GCM-SHA384', 'CHACHA20-POLY1305', 'AES128-GCM-SHA256'].flatMap((cipher) => [
    `ECDHE-ECDSA-${cipher}`,
    `ECDHE-RSA-${cipher}`,
  ]),
].join(':');

/** The options of a TLS server, for node:tls, node:https and Fastify. Clients are not asked for a certificate. */
export interface TlsMaterial {
  /** PEM: the server's certificate first, then the chain. */
  cert: string;
  /** PEM, unencrypted. */
  key: string;
  minVersion: 'TLSv1.2';
  /** By their OpenSSL names. */
  ciphers: string;
  requestCert: false;
}

export interface ResolvedTls {
  /** Undefined when the endpoint speaks plaintext. When both are set they are the same object. */
  rest: TlsMaterial | undefined;
  grpc: TlsMaterial | undefined;
  /** SHA-256 of the server's certificate as `AB:CD:…`; undefined without TLS, like `expiresAt`. */
  fingerprint256: string | undefined;
  selfSigned: boolean;
  expiresAt: Date | undefined;
  /** The file in which a self-signed certificate is kept between starts; undefined when each start makes a new one. */
  keptIn: string | undefined;
  /**
   * Sentences for the log: about a certificate that has expired, is not valid yet, or will be replaced at the next
   * start.
   */
  warnings: readonly string[];
  /**
   * Writes a new certificate to the file in which it is kept. Only the server that holds the lock of the data directory
   * may call it.
   */
  keep(): Promise<void>;
}

/** A certificate and its key, with warnings about them and what keeps them. */
interface Pair {
  cert: string;
  key: string;
  keptIn?: string;
  warnings: readonly string[];
  keep?: () => Promise<void>;
}

/**
 * The one certificate of all endpoints that speak TLS: the supplied one, else a self-signed one, which a server with an
 * embedded database keeps in its data directory.
 *
 * @throws SettingsError when a supplied file cannot serve, with all that is wrong.
 */
export async function resolveTls(loaded: Pick<LoadedSettings, 'settings' | 'sources'>): Promise<ResolvedTls> {
  const endpoints = tlsEndpoints(loaded.settings);
  if (!endpoints.rest && !endpoints.grpc) {
    const plaintext = { rest: undefined, grpc: undefined, fingerprint256: undefined, expiresAt: undefined };
    return { ...plaintext, selfSigned: false, keptIn: undefined, warnings: [], keep: async () => {} };
  }
  const supplied = await loadTlsFiles(loaded);
  const { cert, key, keptIn, warnings, keep } =
    supplied === undefined ? await selfSigned(loaded) : { ...supplied, warnings: [] };
  const material: TlsMaterial = { cert, key, minVersion: 'TLSv1.2', ciphers: CIPHERS, requestCert: false };
  const leaf = new X509Certificate(cert);
  return {
    rest: endpoints.rest ? material : undefined,
    grpc: endpoints.grpc ? material : undefined,
    fingerprint256: leaf.fingerprint256,
    selfSigned: supplied === undefined,
    expiresAt: new Date(leaf.validTo),
    keptIn,
    warnings: supplied === undefined ? warnings : validityWarnings(leaf, loaded.settings.tlsCertFile ?? ''),
    keep: keep ?? (async () => {}),
  };
}

async function selfSigned({ settings }: Pick<LoadedSettings, 'settings'>): Promise<Pair> {
  const { embedded, dataDir, tlsSelfSignedHostnames: hostnames } = settings;
  if (!embedded) {
    const remark =
      'The self-signed certificate is replaced at every start, so clients that pin it and browsers must accept it ' +
      'again; to avoid that, give a certificate with --tls-cert-file and --tls-key-file.';
    return { ...(await generate(hostnames)), warnings: [remark] };
  }
  const kept = new KeptCertificate(dataDir);
  const { pair, warnings } = await kept.read(hostnames);
  if (pair !== undefined) return { ...pair, keptIn: kept.file, warnings };
  const made = await generate(hostnames);
  return { ...made, keptIn: kept.file, warnings, keep: () => kept.replace(made) };
}

/**
 * Creates a certificate. The generator is loaded on demand, as servers with a certificate do not need it, and while the key is
 * made.
 */
async function generate(hostnames: readonly string[]): Promise<{ cert: string; key: string }> {
  const making = makeCertificateKey();
  const { createSelfSignedCertificate } = await import('./certificate.ts');
  const { certPem, keyPem } = await createSelfSignedCertificate(hostnames, new Date(), making);
  return { cert: certPem, key: keyPem };
}

/** A bad date does not prevent the start: a certificate that expires while the server runs would not stop it either. */
function validityWarnings(leaf: X509Certificate, file: string): string[] {
  const now = Date.now();
  const from = new Date(leaf.validFrom);
  const to = new Date(leaf.validTo);
  if (to.getTime() < now) return [`The TLS certificate in ${file} expired at ${to.toISOString()}.`];
  if (from.getTime() > now) return [`The TLS certificate in ${file} is not valid before ${from.toISOString()}.`];
  return [];
}

/** Certificate and key in one file, because two could not be replaced in one step. */
const FILE = 'self-signed.pem';

/** PEM: a certificate and its key. */
interface CertificatePair {
  cert: string;
  key: string;
}

/**
 * The self-signed certificate in a data directory, kept so that clients that pin it, and browsers, go on accepting it.
 */
class KeptCertificate {
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
