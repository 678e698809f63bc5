import type { RoleName } from '../../shared/identity.ts';

/** What an insert and an update of any inference target write alike. */
interface CommonContent {
  /** Of the embedder, LLM or reranker. */
  id: string;
  displayName: string;
  description: string;
  /** "" for targets inside the server. */
  endpointUrl: string;
  apiPath: string;
  modelIdentifier: string;
  supportedModalities: string[];
  labels: Record<string, string>;
  version: string;
  monitoringEndpoint: string;
  /** JSON as the service made it, any secret in it sealed; null without credentials. */
  credentials: unknown;
  credentialFingerprint: string;
  /** Equal for two targets of one table that are the same. */
  targetFingerprint: string;
}

/** What an update may write; `Own` is what only this kind of target has. */
export type TargetContent<Own = unknown> = CommonContent & Own;

export type NewTarget<Own = unknown> = TargetContent<Own> & {
  ownerId: string;
  providerType: string;
  createdById: string;
};

export type TargetRow<Own = unknown> = NewTarget<Own> & {
  /** Decides whether the target is shared. */
  ownerRole: RoleName;
  /** Epoch milliseconds. */
  createdAt: number;
  updatedAt: number;
  updatedById: string;
};

export interface TargetListFilter {
  /** `all`, or shared ones only, or also those of this user. */
  visible: 'all' | 'shared' | { ownerId: string };
  ownerId: string | undefined;
  providerType: string | undefined;
  labels: Record<string, string>;
}
