/** A reference to a secret outside the database: `env://NAME` or `file:///path`. */
export interface SecretRef {
  uri: string;
  hints?: Record<string, string>;
}

/** Credentials as a request brings them; nothing is known to be right before `credentialViolations`. */
export interface CredentialInput {
  kind?: string;
  apiKey?: { inlineSecret?: string; secretRef?: SecretRef; headerName?: string; prefix?: string };
  gcpAdc?: { scopes?: readonly string[]; quotaProjectId?: string };
  labels?: Record<string, string>;
}

/** Credentials as the database keeps them: plain JSON, with an inline secret only in sealed form. */
export interface StoredCredential {
  kind: 'CREDENTIAL_KIND_API_KEY';
  headerName: string;
  prefix: string;
  /** Base64 of `sealSecret`. Exactly one of `sealedSecret` and `secretRef` is there. */
  sealedSecret?: string;
  secretRef?: SecretRef;
  labels: Record<string, string>;
}
