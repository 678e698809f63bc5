import type { ResourceKind } from '../../../shared/errors.ts';
import { TARGET_KINDS, type TargetNoun, type TargetResource } from '../../../shared/target-kinds.ts';
import type { TargetClients } from '../../providers/clients.ts';
import { defaultEmbedderApiPath } from '../../providers/embedders/protocols.ts';
import type { EmbedderClient, EmbedderProvider, EmbedderRecord } from '../../providers/embedders/types.ts';
import {
  DEFAULT_LLM_API_PATH,
  type LlmCapabilities,
  type LlmClient,
  type LlmProvider,
  type LlmRecord,
  type SamplingParams,
} from '../../providers/llms/types.ts';
import { defaultRerankerApiPath } from '../../providers/rerankers/protocols.ts';
import type { RerankerClient, RerankerProvider, RerankerRecord } from '../../providers/rerankers/types.ts';
import type { TargetClient, TargetRecord } from '../../providers/target.ts';
import { type EmbedderOwn, embedderStore } from '../../store/embedders.ts';
import { type LlmOwn, llmStore } from '../../store/llms.ts';
import { type RerankerOwn, rerankerStore } from '../../store/rerankers.ts';
import type { TargetRow, TargetStore } from '../../store/targets.ts';
import { credentialHeaders } from '../credentials/credentials.ts';
import type { StoredCredential } from '../credentials/types.ts';
import { reachOf } from './target-fields.ts';

/** Opens inline secrets; undefined on a server that has no key. */
export type SecretsKey = Uint8Array | undefined;

/** What differs between the kinds of targets; `Own` is what only the rows of a kind have. */
export interface TargetKind<
  Own,
  Record extends TargetRecord = TargetRecord,
  Client extends TargetClient = TargetClient,
> {
  /** As permissions name it. */
  resource: TargetResource;
  /** As people read it. */
  title: ResourceKind;
  store: TargetStore<Own>;
  /** The `apiPath` of a record that names none. Throws UNIMPLEMENTED for a provider that this build cannot call. */
  defaultApiPath(providerType: string, modelIdentifier: string): string;
  /** What makes two targets different beyond what all kinds compare. */
  identity(own: Own): readonly unknown[];
  /** A row in the form in which it is called. Its credentials are opened at each call, never kept open. */
  record(row: TargetRow<Own>, secretsKey: SecretsKey): Record;
  /** Throws UNIMPLEMENTED for a provider that this build cannot call. */
  client(clients: TargetClients, record: Record): Client;
}

export const embedderKind: TargetKind<EmbedderOwn, EmbedderRecord, EmbedderClient> = {
  ...TARGET_KINDS.embedders,
  store: embedderStore,
  defaultApiPath: (providerType, modelIdentifier) =>
    defaultEmbedderApiPath(providerType as EmbedderProvider, modelIdentifier),
  identity: ({ dimensionality, distributionType }) => [dimensionality, distributionType],
  record: (row, secretsKey) => ({
    ...commonRecord<EmbedderProvider>(row, secretsKey),
    dimensionality: row.dimensionality,
    ...(row.maxSequenceLength === null ? {} : { maxSequenceLength: row.maxSequenceLength }),
  }),
  client: (clients, record) => clients.embedder(record),
};

export const llmKind: TargetKind<LlmOwn, LlmRecord, LlmClient> = {
  ...TARGET_KINDS.llms,
  store: llmStore,
  defaultApiPath: () => DEFAULT_LLM_API_PATH,
  identity: () => [],
  record: (row, secretsKey) => ({
    ...commonRecord<LlmProvider>(row, secretsKey),
    capabilities: row.capabilities as LlmCapabilities,
    defaultSamplingParams: (row.defaultSamplingParams ?? {}) as SamplingParams,
    clientConfig: (row.clientConfig ?? {}) as Record<string, unknown>,
  }),
  client: (clients, record) => clients.llm(record),
};

export const rerankerKind: TargetKind<RerankerOwn, RerankerRecord, RerankerClient> = {
  ...TARGET_KINDS.rerankers,
  store: rerankerStore,
  defaultApiPath: (providerType) => defaultRerankerApiPath(providerType as RerankerProvider),
  identity: () => [],
  record: (row, secretsKey) => commonRecord<RerankerProvider>(row, secretsKey),
  client: (clients, record) => clients.reranker(record),
};

/** What `make` makes of each kind, in the order in which a target is looked for by its id alone. */
export function ofEachKind<T>(
  make: <Own, Record extends TargetRecord, Client extends TargetClient>(kind: TargetKind<Own, Record, Client>) => T,
): Readonly<Record<TargetNoun, T>> {
  return { embedders: make(embedderKind), rerankers: make(rerankerKind), llms: make(llmKind) };
}

/** What the records of all kinds say. */
function commonRecord<Provider extends string>(row: TargetRow, key: SecretsKey): TargetRecord<Provider> {
  const stored = row.credentials as StoredCredential | null;
  const access = { resourceId: row.id, key };
  return {
    id: row.id,
    providerType: row.providerType as Provider,
    endpointUrl: row.endpointUrl,
    apiPath: row.apiPath,
    reach: reachOf(row.ownerRole),
    modelIdentifier: row.modelIdentifier,
    updatedAt: row.updatedAt,
    ...(stored === null
      ? {}
      : { credentials: (signal: AbortSignal) => credentialHeaders(stored, { ...access, signal }) }),
  };
}
