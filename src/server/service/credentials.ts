import { createHash } from 'node:crypto';
import { ServiceError } from '../../shared/errors.ts';
import { ProviderError } from '../providers/errors.ts';
import { headerValueProblem } from './credentials/header-syntax.ts';
import { keyedDigest, openSecret, requireSecretsKey, sealSecret } from './credentials/sealing.ts';
import { readSecretRef } from './credentials/secret-ref.ts';
import type { CredentialInput, StoredCredential } from './credentials/types.ts';

const DEFAULT_HEADER = 'Authorization';

/**
 * The form in which valid credentials (`credentialViolations` found nothing) are stored with the resource. Throws
 * FAILED_PRECONDITION for an inline secret when there is no key, UNIMPLEMENTED for GCP_ADC.
 */
export function storeCredential(
  input: CredentialInput,
  resourceId: string,
  key: Uint8Array | undefined,
): StoredCredential {
  if (input.gcpAdc !== undefined) {
    throw new ServiceError('UNIMPLEMENTED', 'This build has no credentials of kind CREDENTIAL_KIND_GCP_ADC');
  }
  const { inlineSecret, secretRef, ...apiKey } = input.apiKey ?? {};
  const { headerName, prefix } = headerOf(apiKey);
  const stored = { kind: 'CREDENTIAL_KIND_API_KEY' as const, headerName, prefix, labels: { ...input.labels } };
  if (inlineSecret === undefined) return { ...stored, ...(secretRef === undefined ? {} : { secretRef }) };
  const sealed = sealSecret(requireSecretsKey(key), resourceId, inlineSecret);
  return { ...stored, sealedSecret: sealed.toString('base64') };
}

/**
 * Tells credentials apart when duplicates are looked for; "" for none. With an inline secret it is keyed, because the
 * database must not hold what a guess could be checked against; a reference is no secret and works without a key.
 * Labels and hints do not count. Throws FAILED_PRECONDITION for an inline secret when there is no key.
 */
export function credentialFingerprint(input: CredentialInput | undefined, key: Uint8Array | undefined): string {
  if (input?.gcpAdc !== undefined) {
    return digest(['gcp', [...new Set(input.gcpAdc.scopes ?? [])].sort(), input.gcpAdc.quotaProjectId ?? '']);
  }
  if (input?.apiKey === undefined) return '';
  const { headerName, prefix } = headerOf(input.apiKey);
  const header = [headerName.toLowerCase(), prefix];
  const { inlineSecret, secretRef } = input.apiKey;
  if (inlineSecret === undefined) return digest(['ref', ...header, secretRef?.uri ?? '']);
  return keyedDigest(requireSecretsKey(key), JSON.stringify(['inline', ...header, inlineSecret]));
}

export interface CredentialAccess {
  /** Id of the resource that the credential is stored with. */
  resourceId: string;
  /** Undefined on a server without a secrets key. */
  key: Uint8Array | undefined;
  signal: AbortSignal;
  /** Default: the environment of the process. */
  env?: Readonly<Record<string, string | undefined>>;
}

/**
 * The headers that carry a stored credential, made for one call: references are read each time. Rejects with a
 * `ProviderError` (`configuration`) when it is unusable. No message holds a secret.
 */
export async function credentialHeaders(
  stored: StoredCredential,
  access: CredentialAccess,
): Promise<Record<string, string>> {
  const value = stored.prefix + (await secretOf(stored, access));
  if (headerValueProblem(value) !== undefined) {
    throw new ProviderError('configuration', 'The secret of the stored credential cannot be sent in a header');
  }
  return { [stored.headerName]: value };
}

async function secretOf(stored: StoredCredential, access: CredentialAccess): Promise<string> {
  if (stored.secretRef !== undefined) {
    return readSecretRef(stored.secretRef.uri, { signal: access.signal, env: access.env ?? process.env });
  }
  if (access.key === undefined) {
    throw new ProviderError('configuration', 'The stored credential cannot be opened: this server has no secrets key');
  }
  const sealed = Buffer.from(stored.sealedSecret ?? '', 'base64');
  const secret = openSecret(access.key, access.resourceId, sealed);
  if (secret === undefined) {
    throw new ProviderError('configuration', 'The stored credential cannot be opened with the secrets key');
  }
  return secret;
}

function headerOf(apiKey: { headerName?: string; prefix?: string }): { headerName: string; prefix: string } {
  const headerName = apiKey.headerName ?? DEFAULT_HEADER;
  const isDefault = headerName.toLowerCase() === DEFAULT_HEADER.toLowerCase();
  return { headerName, prefix: apiKey.prefix ?? (isDefault ? 'Bearer ' : '') };
}

function digest(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
