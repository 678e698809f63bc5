import { isUuid } from '../../shared/fields/formats.ts';
import { EmbedderService } from '../../shared/gen/service/v1/embedder_pb.ts';
import { LLMService } from '../../shared/gen/service/v1/llm_pb.ts';
import { RerankerService } from '../../shared/gen/service/v1/reranker_pb.ts';
import type { Client } from '../client/client.ts';
import type { EmbedderSelection } from '../flags/embedder-selection.ts';
import { called, type Named, type Noun, nothingCalled, only } from './match.ts';

export type TargetNoun = 'embedders' | 'llms' | 'rerankers';

const NOUNS: Readonly<Record<TargetNoun, Noun>> = {
  embedders: { one: 'Embedder', many: 'embedders', list: 'svc embedders list' },
  llms: { one: 'LLM', many: 'LLMs', list: 'svc llms list' },
  rerankers: { one: 'Reranker', many: 'rerankers', list: 'svc rerankers list' },
};

const LISTS: Readonly<Record<TargetNoun, (client: Client) => Promise<Named[]>>> = {
  embedders: async (client) =>
    (await client.call(EmbedderService.method.listEmbedders, {})).embedders.map(({ embedderId, displayName }) => ({
      id: embedderId,
      names: [displayName],
    })),
  llms: async (client) =>
    (await client.call(LLMService.method.listLLMs, {})).llms.map(({ llmId, displayName }) => ({
      id: llmId,
      names: [displayName],
    })),
  rerankers: async (client) =>
    (await client.call(RerankerService.method.listRerankers, {})).rerankers.map(({ rerankerId, displayName }) => ({
      id: rerankerId,
      names: [displayName],
    })),
};

/** All targets of a kind that the caller may use. */
export function listTargets(client: Client, noun: TargetNoun): Promise<Named[]> {
  return LISTS[noun](client);
}

/** The id of a target of one kind that is named by its id, the beginning of it, or its display name. */
export async function resolveTargetOf(noun: TargetNoun, client: Client, wanted: string): Promise<string> {
  if (isUuid(wanted)) return wanted.toLowerCase();
  const all = await listTargets(client, noun);
  const found = only(called(all, wanted), wanted, NOUNS[noun]);
  if (found !== undefined) return found.id;
  throw nothingCalled(
    wanted,
    NOUNS[noun],
    all.flatMap(({ names }) => names),
  );
}

/** The same selections with the ids of their embedders. */
export async function resolveSelections(
  client: Client,
  selections: readonly EmbedderSelection[],
): Promise<EmbedderSelection[]> {
  const resolved: EmbedderSelection[] = [];
  for (const selection of selections) {
    resolved.push({ ...selection, embedderId: await resolveTargetOf('embedders', client, selection.embedderId) });
  }
  return resolved;
}
