import { TARGET_KINDS, type TargetKind } from '../target-kinds.ts';
import type { TargetArea } from './target-area.fixture.ts';

function kindOf(resource: TargetKind['resource']): TargetKind {
  const kind = TARGET_KINDS.find((known) => known.resource === resource);
  if (kind === undefined) throw new Error(`${resource} is no kind of target`);
  return kind;
}

export const EMBEDDERS: TargetArea = {
  kind: kindOf('EMBEDDER'),
  title: 'Embedder',
  paths: {
    OPENAI: '/embeddings',
    VLLM: '/embeddings',
    LLAMA_CPP: '/embeddings',
    VOYAGE: '/embeddings',
    JINA: '/v1/embeddings',
    TEI: '/embed',
    COHERE: '/v2/embed',
    OLLAMA: '/api/embed',
    GEMINI: '/v1beta/models/org%2Fmodel%201:batchEmbedContents',
  },
  strangers: ['UNSPECIFIED', 'LITELLM_PROXY', 'NOBODY'],
  fresh: { distributionType: 'DENSE' },
};

export const LLMS: TargetArea = {
  kind: kindOf('LLM'),
  title: 'LLM',
  paths: {
    OPENAI: '/chat/completions',
    LITELLM_PROXY: '/chat/completions',
    OPEN_ROUTER: '/chat/completions',
    VLLM: '/chat/completions',
    OLLAMA: '/chat/completions',
    LLAMA_CPP: '/chat/completions',
    CUSTOM_OPENAI_COMPATIBLE: '/chat/completions',
  },
  strangers: ['UNSPECIFIED', 'TEI', 'NOBODY'],
  fresh: {
    capabilities: {
      supportsChat: true,
      supportsCompletion: false,
      supportsFunctionCalling: true,
      supportsSystemMessages: true,
      supportsStreaming: true,
      supportsSamplingParameters: true,
    },
  },
};

export const RERANKERS: TargetArea = {
  kind: kindOf('RERANKER'),
  title: 'Reranker',
  paths: {
    VLLM: '/rerank',
    TEI: '/rerank',
    LLAMA_CPP: '/rerank',
    VOYAGE: '/rerank',
    COHERE: '/v2/rerank',
    JINA: '/v1/rerank',
  },
  strangers: ['UNSPECIFIED', 'OPENAI', 'OLLAMA', 'GEMINI', 'BUILTIN', 'ONNX', 'NOBODY'],
  fresh: {},
};
