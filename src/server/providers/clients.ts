import type { Reach } from './addresses.ts';
import { createEmbedderClient } from './embedders/client.ts';
import type { EmbedderClient, EmbedderDeps, EmbedderRecord } from './embedders/types.ts';
import { createLlmClient } from './llms/client.ts';
import type { LlmClient, LlmRecord } from './llms/types.ts';
import { createRerankerClient } from './rerankers/client.ts';
import type { RerankerClient, RerankerRecord } from './rerankers/types.ts';
import type { TargetRecord } from './target.ts';

/** Per kind. Clients are small; the bound is for installations that create and delete targets all the time. */
const MAX_CLIENTS = 256;

/**
 * One client for each target and version of its record, so that all callers of the process share its slots and what it
 * has learned of its server. Each throws `ServiceError` UNIMPLEMENTED for a provider that this build cannot call.
 */
export interface TargetClients {
  embedder(record: EmbedderRecord): EmbedderClient;
  llm(record: LlmRecord): LlmClient;
  reranker(record: RerankerRecord): RerankerClient;
}

export function createTargetClients(deps: EmbedderDeps): TargetClients {
  return {
    embedder: kept((record: EmbedderRecord) => createEmbedderClient(record, deps)),
    llm: kept((record: LlmRecord) => createLlmClient(record, deps)),
    reranker: kept((record: RerankerRecord) => createRerankerClient(record, deps)),
  };
}

/** Makes each client once. The least recently used is dropped first; calls that run in it end normally. */
function kept<Record extends TargetRecord, Client>(create: (record: Record) => Client): (record: Record) => Client {
  const clients = new Map<string, { updatedAt: number; reach: Reach; client: Client }>();
  return (record) => {
    const { id, updatedAt, reach } = record;
    const known = clients.get(id);
    clients.delete(id);
    // The role of an owner changes without the record.
    const isSame = known?.updatedAt === updatedAt && known.reach === reach;
    const entry = isSame ? known : { updatedAt, reach, client: create(record) };
    clients.set(id, entry);
    const oldest = clients.keys().next();
    if (clients.size > MAX_CLIENTS && oldest.done !== true) clients.delete(oldest.value);
    return entry.client;
  };
}
