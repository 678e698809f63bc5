import type { RerankerProvider } from './types.ts';

interface RerankRequest {
  modelIdentifier: string;
  query: string;
  texts: readonly string[];
}

/** What is particular to one provider's rerank call. Everything else is in the client. */
export interface RerankerProtocol {
  /** Part of the address after `endpointUrl`. */
  defaultApiPath: string;
  /** Bounds of one request. */
  maxTexts: number;
  maxCharacters: number;
  /** Body of the call, before JSON. */
  body(request: RerankRequest): unknown;
  /** Name of the answer's member that holds the list of results; undefined when the answer is the list. */
  resultsMember?: string;
  /** Name of the score in a result. */
  scoreMember: string;
}

/** The form that Cohere made common. `extra` keeps providers from sending the texts back. */
function commonForm(variant: {
  defaultApiPath?: string;
  maxTexts: number;
  maxCharacters?: number;
  resultsMember?: string;
  extra?: Record<string, unknown>;
}): RerankerProtocol {
  return {
    defaultApiPath: variant.defaultApiPath ?? '/rerank',
    maxTexts: variant.maxTexts,
    maxCharacters: variant.maxCharacters ?? 500_000,
    body: ({ modelIdentifier, query, texts }: RerankRequest) => ({
      model: modelIdentifier,
      query,
      documents: texts,
      ...variant.extra,
    }),
    resultsMember: variant.resultsMember ?? 'results',
    scoreMember: 'relevance_score',
  };
}

/** The call of each provider. Servers that run their own model get smaller batches than a hosted service. */
const PROTOCOLS: Record<RerankerProvider, RerankerProtocol> = {
  VLLM: commonForm({ maxTexts: 128 }),
  LLAMA_CPP: commonForm({ maxTexts: 64 }),
  // 600,000 tokens a request with the current models, in which the query counts once for each document.
  VOYAGE: commonForm({
    maxTexts: 1000,
    maxCharacters: 250_000,
    resultsMember: 'data',
    extra: { return_documents: false },
  }),
  COHERE: commonForm({ defaultApiPath: '/v2/rerank', maxTexts: 1000 }),
  JINA: commonForm({ defaultApiPath: '/v1/rerank', maxTexts: 1000, extra: { return_documents: false } }),
  // Text Embeddings Inference takes 32 texts a request unless it was started with another limit.
  TEI: {
    defaultApiPath: '/rerank',
    maxTexts: 32,
    maxCharacters: 250_000,
    body: ({ query, texts }) => ({ query, texts, truncate: true }),
    scoreMember: 'score',
  },
};

export function rerankerProtocol(provider: RerankerProvider): RerankerProtocol {
  return PROTOCOLS[provider];
}

/** The `apiPath` of a record that names none. */
export function defaultRerankerApiPath(provider: RerankerProvider): string {
  return PROTOCOLS[provider].defaultApiPath;
}
