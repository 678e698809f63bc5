import { isUuid } from '../../../shared/fields/formats.ts';
import { type Embedder, EmbedderService } from '../../../shared/gen/service/v1/embedder_pb.ts';
import { type LLM, LLMService } from '../../../shared/gen/service/v1/llm_pb.ts';
import { type Reranker, RerankerService } from '../../../shared/gen/service/v1/reranker_pb.ts';
import { TARGET_KINDS, type TargetNoun } from '../../../shared/target-kinds.ts';
import type { Client } from '../client/client.ts';
import { pairOf, parseDecimal } from '../flags/kinds.ts';
import { type Deletion, idCalled, type Named, type Noun, type Owned, toDelete } from './names.ts';

function nounOf(noun: TargetNoun): Noun {
  const { title, many } = TARGET_KINDS[noun];
  return { one: title, many, list: `svc ${noun} list` };
}

interface TargetLookups {
  list(client: Client): Promise<Owned[]>;
  get(client: Client, id: string): Promise<Owned>;
}

const CALLS: Readonly<Record<TargetNoun, TargetLookups>> = {
  embedders: {
    list: async (client) => (await client.call(EmbedderService.method.listEmbedders, {})).embedders.map(namedEmbedder),
    get: async (client, embedderId) =>
      namedEmbedder(await client.call(EmbedderService.method.getEmbedder, { embedderId })),
  },
  llms: {
    list: async (client) => (await client.call(LLMService.method.listLLMs, {})).llms.map(namedLlm),
    get: async (client, llmId) => namedLlm(await client.call(LLMService.method.getLLM, { llmId })),
  },
  rerankers: {
    list: async (client) => (await client.call(RerankerService.method.listRerankers, {})).rerankers.map(namedReranker),
    get: async (client, rerankerId) =>
      namedReranker(await client.call(RerankerService.method.getReranker, { rerankerId })),
  },
};

function namedEmbedder({ embedderId: id, displayName, ownerId }: Embedder): Owned {
  return { id, names: [displayName], ownerId };
}

function namedLlm({ llmId: id, displayName, ownerId }: LLM): Owned {
  return { id, names: [displayName], ownerId };
}

function namedReranker({ rerankerId: id, displayName, ownerId }: Reranker): Owned {
  return { id, names: [displayName], ownerId };
}

/** All targets of a kind that the caller may use. */
export function listTargets(client: Client, noun: TargetNoun): Promise<Named[]> {
  return CALLS[noun].list(client);
}

/** The id of a target of one kind that is named by its id, the beginning of it, or its display name. */
export async function resolveTargetOf(noun: TargetNoun, client: Client, wanted: string): Promise<string> {
  if (isUuid(wanted)) return wanted.toLowerCase();
  const all = await listTargets(client, noun);
  return idCalled(all, wanted, nounOf(noun));
}

/** What a target is named by that is to be deleted. */
export function targetDeletion(noun: TargetNoun, client: Client, wanted: string): Promise<Deletion> {
  const { list: candidates, get } = CALLS[noun];
  return toDelete(client, wanted, { noun: nounOf(noun), isOwned: true, candidates, get });
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

/** An embedder of a space that is to be made; until it is resolved, by whatever it is named. */
export interface EmbedderSelection {
  embedderId: string;
  defaultRetrievalWeight?: number;
}

/** `NAME` or `ID`, alone or with `=WEIGHT`, as `--embedder` takes it. */
export function embedderSelection(entry: string): EmbedderSelection {
  if (!entry.includes('=')) return { embedderId: entry };
  const [embedderId, weight] = pairOf(entry, '--embedder', 'name=weight');
  return { embedderId, defaultRetrievalWeight: parseDecimal(weight, 'The weight of --embedder') };
}
