import { createHash } from 'node:crypto';
import { ProviderError } from '../../providers/errors.ts';
import { GoogleAdc } from '../../providers/google-adc.ts';
import { keyedDigest, openSecret, requireSecretsKey, sealSecret } from './sealing.ts';
import { readSecretRef } from './secret-ref.ts';
import type { CredentialInput, StoredApiKey, StoredCredential, StoredGcpAdc } from './types.ts';
import { headerValueProblem } from './validation.ts';

const DEFAULT_HEADER = 'Authorization';

/** One for the process: its tokens are the same for every resource. */
const processGoogle = new GoogleAdc();

/**
 * The form in which valid credentials (`credentialViolations` found nothing) are stored with the resource. Throws
 * FAILED_PRECONDITION for an inline secret when there is no key.
 */
export function storeCredential(
  input: CredentialInput,
  resourceId: string,
  key: Uint8Array | undefined,
): StoredCredential {
  const labels = { ...input.labels };
  if (input.gcpAdc !== undefined) {
    const { scopes = [], quotaProjectId = '' } = input.gcpAdc;
    const project = quotaProjectId === '' ? {} : { quotaProjectId };
    return { kind: 'CREDENTIAL_KIND_GCP_ADC', scopes: [...scopes], ...project, labels };
  }
  const { inlineSecret, secretRef, ...apiKey } = input.apiKey ?? {};
  const { headerName, prefix } = headerOf(apiKey);
  const stored = { kind: 'CREDENTIAL_KIND_API_KEY' as const, headerName, prefix, labels };
  if (inlineSecret === undefined) return { ...stored, ...(secretRef === undefined ? {} : { secretRef }) };
  const sealed = sealSecret(requireSecretsKey(key), resourceId, inlineSecret);
  return { ...stored, sealedSecret: sealed.toString('base64') };
}

/**
 * Distinguishes credentials when duplicates are searched; "" for none. That of an inline secret is keyed, because the
 * database must not hold a value that guesses could be checked against; a reference is no secret and needs no key.
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

interface CredentialAccess {
  /** Id of the resource that the credential is stored with. */
  resourceId: string;
  /** Undefined on a server without a secrets key. */
  key: Uint8Array | undefined;
  signal: AbortSignal;
  /** Default: the environment of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Where tokens of Google come from; default: the application default credentials of the process. */
  google?: GoogleAdc;
}

/**
 * The headers that carry a stored credential, made for one call: references are read each time, tokens renewed in time.
 * Rejects with a `ProviderError` when it is unusable (`configuration`) or no token can be had (`unavailable`,
 * `timeout`), or with the signal's reason. No message holds a secret.
 */
export async function credentialHeaders(
  stored: StoredCredential,
  access: CredentialAccess,
): Promise<Record<string, string>> {
  if (stored.kind === 'CREDENTIAL_KIND_GCP_ADC') return googleHeaders(stored, access);
  const value = stored.prefix + (await secretOf(stored, access));
  if (headerValueProblem(value) !== undefined) {
    throw new ProviderError(
      'configuration',
      'The stored secret cannot be sent in a header: it contains characters other than visible ASCII',
    );
  }
  return { [stored.headerName]: value };
}

async function googleHeaders(
  stored: StoredGcpAdc,
  { google = processGoogle, signal }: CredentialAccess,
): Promise<Record<string, string>> {
  const token = await google.token(stored.scopes, signal);
  const project = stored.quotaProjectId ?? token.quotaProjectId;
  return {
    Authorization: `Bearer ${token.accessToken}`,
    ...(project === undefined ? {} : { 'x-goog-user-project': project }),
  };
}

async function secretOf(stored: StoredApiKey, access: CredentialAccess): Promise<string> {
  if (stored.secretRef !== undefined) {
    return readSecretRef(stored.secretRef.uri, { signal: access.signal, env: access.env ?? process.env });
  }
  if (access.key === undefined) {
    throw new ProviderError(
      'configuration',
      'The stored credential cannot be decrypted: this server has no secrets key',
    );
  }
  const sealed = Buffer.from(stored.sealedSecret ?? '', 'base64');
  const secret = openSecret(access.key, access.resourceId, sealed);
  if (secret === undefined) {
    throw new ProviderError(
      'configuration',
      'The stored credential cannot be decrypted with the secrets key of this server',
    );
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
