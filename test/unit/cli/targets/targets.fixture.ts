import { Modality, ProviderType } from '../../../../src/shared/gen/service/v1/common_pb.ts';
import { DistributionType, EmbedderService } from '../../../../src/shared/gen/service/v1/embedder_pb.ts';
import { LLMProviderType, LLMService } from '../../../../src/shared/gen/service/v1/llm_pb.ts';
import { RerankerService } from '../../../../src/shared/gen/service/v1/reranker_pb.ts';
import { UserService } from '../../../../src/shared/gen/service/v1/user_pb.ts';
import { timestampFromMs } from '../../../../src/shared/time.ts';
import type { Handlers } from '../../../support/client/grpc-server.fixture.ts';

export const TARGET_SERVICES = [EmbedderService, LLMService, RerankerService, UserService];

/** Any target. */
export const X = '01980000-0000-7000-8000-0000000000f9';

export const ME = '01980000-0000-7000-8000-000000000001';
const createdAt = timestampFromMs(Date.UTC(2026, 2, 3, 9, 30));
const common = {
  displayName: 'Small text',
  endpointUrl: 'http://models.lan:8080',
  modelIdentifier: 'small-1',
  supportedModalities: [Modality.TEXT],
  ownerId: ME,
  createdAt,
  updatedAt: createdAt,
};
const embedder = {
  ...common,
  embedderId: '01980000-0000-7000-8000-0000000000c1',
  providerType: ProviderType.TEI,
  apiPath: '/embed',
  dimensionality: 384,
  distributionType: DistributionType.DENSE,
  maxSequenceLength: 512,
  labels: { default: 'true' },
};
const llm = {
  ...common,
  llmId: '01980000-0000-7000-8000-0000000000d1',
  displayName: 'Chat',
  description: 'Writes the summaries of everybody, in as few words as it can, and of nobody else.',
  providerType: LLMProviderType.LLM_PROVIDER_TYPE_CUSTOM_OPENAI_COMPATIBLE,
  apiPath: '/chat/completions',
  capabilities: { supportsChat: true, supportsStreaming: true, supportsCompletion: false },
  defaultSamplingParams: { temperature: 0.2, maxTokens: 256, stopSequences: ['\n\n'] },
  maxContextLength: 131072,
  clientConfig: { guided: { choice: ['yes', 'no'] } },
};
const reranker = {
  ...common,
  rerankerId: '01980000-0000-7000-8000-0000000000e1',
  providerType: ProviderType.COHERE,
  apiPath: '/v2/rerank',
};
export const HANDLERS: Handlers = {
  unary: {
    GetUser: () => ({}),
    CreateEmbedder: () => embedder,
    GetEmbedder: () => embedder,
    ListEmbedders: () => ({ embedders: [embedder] }),
    UpdateEmbedder: () => embedder,
    DeleteEmbedder: () => ({}),
    CreateLLM: () => ({
      llm,
      statuses: [
        { code: 'LLM_CAPABILITY_INFERRED', details: { capability: 'supportsChat', value: 'true' } },
        { code: 'LLM_CAPABILITY_INFERRED', details: { capability: 'supportsCompletion', value: 'false' } },
        { code: 'LATER', message: 'Something that is not known yet' },
      ],
    }),
    GetLLM: () => llm,
    ListLLMs: () => ({ llms: [llm] }),
    UpdateLLM: () => llm,
    DeleteLLM: () => ({}),
    CreateReranker: () => reranker,
    GetReranker: () => reranker,
    ListRerankers: () => ({ rerankers: [reranker] }),
    UpdateReranker: () => reranker,
    DeleteReranker: () => ({}),
  },
};
export const COMMON_FLAGS = ['--name', 'Small text', '--model', 'small-1', '--url', 'http://models.lan:8080'];
export const KINDS = [
  { noun: 'embedders', id: 'embedderId', create: ['--provider', 'TEI', '--dimensions', '384', ...COMMON_FLAGS] },
  { noun: 'llms', id: 'llmId', create: ['--provider', 'vllm', ...COMMON_FLAGS] },
  { noun: 'rerankers', id: 'rerankerId', create: ['--provider', 'TEI', ...COMMON_FLAGS] },
] as const;
