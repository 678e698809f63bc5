import { createHash } from 'node:crypto';
import { canonicalUrl } from './canonical-url.ts';

/** What every kind of target shows of what makes two of one owner the same. */
export interface TargetIdentity {
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
