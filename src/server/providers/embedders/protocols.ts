import { ServiceError } from '../../../shared/errors.ts';
import { cohereProtocol } from './cohere.ts';
import { geminiProtocol } from './gemini.ts';
import { ollamaProtocol } from './ollama.ts';
import { openAiForm } from './openai.ts';
import type { EmbedderProtocol } from './protocol.ts';
import { teiProtocol } from './tei.ts';
import type { EmbedderProvider } from './types.ts';

const JINA_TASKS = { query: 'retrieval.query', document: 'retrieval.passage' } as const;

/**
 * The call of each provider over HTTP. Servers that run their own model get smaller batches than a hosted service:
 * one request there occupies one accelerator or a few cores.
 */
const PROTOCOLS: Partial<Record<EmbedderProvider, EmbedderProtocol>> = {
  OPENAI: openAiForm({ maxTexts: 256 }),
  VLLM: openAiForm({ maxTexts: 128 }),
  LLAMA_CPP: openAiForm({ maxTexts: 32 }),
  // 120,000 tokens a request with its larger models.
  VOYAGE: openAiForm({ maxTexts: 128, maxCharacters: 120_000, inputType: (type) => ({ input_type: type }) }),
  JINA: openAiForm({
    defaultApiPath: '/v1/embeddings',
    maxTexts: 128,
    encodingMember: 'embedding_type',
    inputType: (type) => ({ task: JINA_TASKS[type] }),
  }),
  TEI: teiProtocol,
  COHERE: cohereProtocol,
  OLLAMA: ollamaProtocol,
  GEMINI: geminiProtocol,
};

/** The protocol of a provider. Throws UNIMPLEMENTED for one that this build cannot call. */
export function embedderProtocol(provider: EmbedderProvider): EmbedderProtocol {
  const protocol = PROTOCOLS[provider];
  if (protocol === undefined)
    throw new ServiceError('UNIMPLEMENTED', `This build does not support ${provider} embedders`);
  return protocol;
}

/** The `apiPath` of a record that names none; "" for in-process embedders. Throws UNIMPLEMENTED. */
export function defaultEmbedderApiPath(provider: EmbedderProvider, modelIdentifier: string): string {
  if (provider === 'BUILTIN') return '';
  const { defaultApiPath } = embedderProtocol(provider);
  return typeof defaultApiPath === 'string' ? defaultApiPath : defaultApiPath(modelIdentifier);
}
