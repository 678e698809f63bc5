import type { Json } from '../support/wire.ts';

const common = (endpointUrl: string) => ({ displayName: 'Target', endpointUrl, modelIdentifier: 'm' });

/** The three kinds of inference targets, which share their rules. */
export const TARGET_KINDS = [
  {
    resource: 'EMBEDDER',
    id: 'embedderId',
    members: 'embedders',
    create: 'createEmbedder',
    get: 'getEmbedder',
    list: 'listEmbedders',
    update: 'updateEmbedder',
    delete: 'deleteEmbedder',
    body: (url: string) => ({ ...common(url), providerType: 'OPENAI', dimensionality: 3 }),
    idOf: (created: Json) => created.embedderId as string,
  },
  {
    resource: 'LLM',
    id: 'llmId',
    members: 'llms',
    create: 'createLLM',
    get: 'getLLM',
    list: 'listLLMs',
    update: 'updateLLM',
    delete: 'deleteLLM',
    body: (url: string) => ({ ...common(url), providerType: 'VLLM' }),
    idOf: (created: Json) => created.llm.llmId as string,
  },
  {
    resource: 'RERANKER',
    id: 'rerankerId',
    members: 'rerankers',
    create: 'createReranker',
    get: 'getReranker',
    list: 'listRerankers',
    update: 'updateReranker',
    delete: 'deleteReranker',
    body: (url: string) => ({ ...common(url), providerType: 'TEI' }),
    idOf: (created: Json) => created.rerankerId as string,
  },
] as const;

export type TargetKind = (typeof TARGET_KINDS)[number];
