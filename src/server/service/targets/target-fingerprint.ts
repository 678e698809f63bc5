import { createHash } from 'node:crypto';

/** What every kind of target shows of what makes two of one owner the same. */
interface TargetIdentity {
  providerType: string;
  endpointUrl: string;
  apiPath: string;
  modelIdentifier: string;
  credentialFingerprint: string;
}

/** Adds the digest by which the database tells a duplicate; `own` is what else counts in this kind of target. */
export function withTargetFingerprint<T extends TargetIdentity>(
  target: T,
  own: readonly unknown[],
): T & { targetFingerprint: string } {
  const parts = [
    target.providerType,
    target.endpointUrl === '' ? '' : canonicalUrl(target.endpointUrl),
    target.apiPath,
    target.modelIdentifier,
    ...own,
    target.credentialFingerprint,
  ];
  return { ...target, targetFingerprint: createHash('sha256').update(JSON.stringify(parts)).digest('hex') };
}

/**
 * The form in which addresses are compared: scheme and host in lower case, without default port and trailing slash.
 * Path and query keep their case. Throws TypeError for what is not a URL.
 */
export function canonicalUrl(url: string): string {
  const { protocol, host, pathname, search } = new URL(url);
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  return `${protocol}//${host}${path}${search}`;
}
