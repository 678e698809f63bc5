import type { CredentialInput } from '../../../../../src/server/service/credentials/types.ts';

type ApiKey = NonNullable<CredentialInput['apiKey']>;
export const apiKey = (member: ApiKey): CredentialInput => ({ kind: 'CREDENTIAL_KIND_API_KEY', apiKey: member });
export const inline = (secret: string, member: ApiKey = {}) => apiKey({ inlineSecret: secret, ...member });
export const reference = (uri: string, member: ApiKey = {}) => apiKey({ secretRef: { uri }, ...member });
