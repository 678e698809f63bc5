import { CredentialKind, type Credentials } from '../../../shared/gen/service/v1/common_pb.ts';
import type { CredentialInput } from './types.ts';

const KINDS: Partial<Record<CredentialKind, string>> = {
  [CredentialKind.API_KEY]: 'CREDENTIAL_KIND_API_KEY',
  [CredentialKind.GCP_ADC]: 'CREDENTIAL_KIND_GCP_ADC',
};

/** Credentials of a request message in the form that the rules about credentials take. */
export function credentialInput({ kind, credential, labels }: Credentials): CredentialInput {
  const name = KINDS[kind];
  const input: CredentialInput = { ...(name === undefined ? {} : { kind: name }), labels };
  if (credential.case === 'gcpAdc') {
    const { scopes, quotaProjectId } = credential.value;
    return { ...input, gcpAdc: { scopes, ...(quotaProjectId === undefined ? {} : { quotaProjectId }) } };
  }
  if (credential.case !== 'apiKey') return input;
  const { inlineSecret, secretRef, headerName, prefix } = credential.value;
  return {
    ...input,
    apiKey: {
      ...(inlineSecret === undefined ? {} : { inlineSecret }),
      ...(secretRef === undefined ? {} : { secretRef: { uri: secretRef.uri, hints: secretRef.hints } }),
      ...(headerName === undefined ? {} : { headerName }),
      ...(prefix === undefined ? {} : { prefix }),
    },
  };
}
