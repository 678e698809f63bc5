import { X509Certificate } from 'node:crypto';
import type { LoadedSettings } from '../settings/load.ts';
import { tlsEndpoints } from '../settings/tls-rules.ts';
import { loadTlsFiles } from './tls-files.ts';

/** What a TLS server is made from. Fits node:tls, node:https and Fastify as it stands; clients are asked for no certificate. */
export interface TlsMaterial {
  /** PEM: the server's certificate first, then the chain. */
  cert: string;
  /** PEM, unencrypted. */
  key: string;
  minVersion: 'TLSv1.2';
  requestCert: false;
}

export interface ResolvedTls {
  /** Undefined: the endpoint speaks plaintext. Where both are there they are the same object. */
  rest: TlsMaterial | undefined;
  grpc: TlsMaterial | undefined;
  /** SHA-256 of the server's certificate as `AB:CD:…`; undefined without TLS, like `expiresAt`. */
  fingerprint256: string | undefined;
  selfSigned: boolean;
  expiresAt: Date | undefined;
  /** Sentences for the log: a certificate that has expired, or is not valid yet. */
  warnings: readonly string[];
}

/**
 * The one certificate of all endpoints that speak TLS: the supplied one, else one made in memory.
 *
 * @throws ConfigurationError when a supplied file cannot serve, with all that is wrong.
 */
export async function resolveTls(loaded: Pick<LoadedSettings, 'settings' | 'sources'>): Promise<ResolvedTls> {
  const endpoints = tlsEndpoints(loaded.settings);
  if (!endpoints.rest && !endpoints.grpc) {
    const plaintext = { rest: undefined, grpc: undefined, fingerprint256: undefined, expiresAt: undefined };
    return { ...plaintext, selfSigned: false, warnings: [] };
  }
  const supplied = await loadTlsFiles(loaded);
  const { cert, key } = supplied ?? (await generate(loaded.settings.tlsSelfSignedHostnames));
  const material: TlsMaterial = { cert, key, minVersion: 'TLSv1.2', requestCert: false };
  const leaf = new X509Certificate(cert);
  return {
    rest: endpoints.rest ? material : undefined,
    grpc: endpoints.grpc ? material : undefined,
    fingerprint256: leaf.fingerprint256,
    selfSigned: supplied === undefined,
    expiresAt: new Date(leaf.validTo),
    warnings: supplied === undefined ? [] : validityWarnings(leaf, loaded.settings.tlsCertFile ?? ''),
  };
}

/** Loaded on demand: servers with a certificate of their own need not pay for the generator's import. */
async function generate(hostnames: readonly string[]): Promise<{ cert: string; key: string }> {
  const { createSelfSignedCertificate } = await import('./certificate.ts');
  const { certPem, keyPem } = await createSelfSignedCertificate(hostnames);
  return { cert: certPem, key: keyPem };
}

/** A bad date is no reason to refuse: what expires while the server runs would not stop it either. */
function validityWarnings(leaf: X509Certificate, file: string): string[] {
  const now = Date.now();
  const from = new Date(leaf.validFrom);
  const to = new Date(leaf.validTo);
  if (to.getTime() < now) return [`The TLS certificate in ${file} expired at ${to.toISOString()}.`];
  if (from.getTime() > now) return [`The TLS certificate in ${file} is not valid before ${from.toISOString()}.`];
  return [];
}
