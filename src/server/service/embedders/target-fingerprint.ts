import { createHash } from 'node:crypto';
import { canonicalUrl } from './canonical-url.ts';

/** What makes two embedders of one owner the same. */
export interface EmbedderTarget {
  providerType: string;
  endpointUrl: string;
  apiPath: string;
  modelIdentifier: string;
  dimensionality: number;
  distributionType: string;
  credentialFingerprint: string;
}

/** Adds the digest by which the database tells a duplicate. */
export function withTargetFingerprint<T extends EmbedderTarget>(target: T): T & { targetFingerprint: string } {
  const parts = [
    target.providerType,
    target.endpointUrl === '' ? '' : canonicalUrl(target.endpointUrl),
    target.apiPath,
    target.modelIdentifier,
    target.dimensionality,
    target.distributionType,
    target.credentialFingerprint,
  ];
  return { ...target, targetFingerprint: createHash('sha256').update(JSON.stringify(parts)).digest('hex') };
}
