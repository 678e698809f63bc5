/** A reference to a secret outside the database: `env://NAME` or `file:///path`. */
interface SecretRef {
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

/** Credentials as the database keeps them: plain JSON. */
export type StoredCredential = (StoredApiKey | StoredGcpAdc) & {
  /** The user who gave it; left out by servers that did not note it yet. */
  givenById?: string;
};

/** A secret for a header; an inline one only in sealed form. */
export interface StoredApiKey {
  kind: 'CREDENTIAL_KIND_API_KEY';
  headerName: string;
  prefix: string;
  /** Base64 of `sealSecret`. Exactly one of `sealedSecret` and `secretRef` is there. */
  sealedSecret?: string;
  secretRef?: SecretRef;
  labels: Record<string, string>;
}

/** The server's own Google identity, its application default credentials: nothing of it is stored. */
export interface StoredGcpAdc {
  kind: 'CREDENTIAL_KIND_GCP_ADC';
  /** Empty for the default. */
  scopes: readonly string[];
  quotaProjectId?: string;
  labels: Record<string, string>;
}
