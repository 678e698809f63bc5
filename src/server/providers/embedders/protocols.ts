import { ServiceError } from '../../../shared/errors.ts';
import { openAiForm } from './openai.ts';
import type { EmbedderProtocol } from './protocol.ts';
import { teiProtocol } from './tei.ts';
import type { EmbedderProvider } from './types.ts';

/**
 * The call of each provider over HTTP. Servers that run their own model get smaller batches than a hosted service:
 * one request there occupies one accelerator or a few cores.
 */
const PROTOCOLS: Partial<Record<EmbedderProvider, EmbedderProtocol>> = {
  OPENAI: openAiForm({ maxTexts: 256 }),
  VLLM: openAiForm({ maxTexts: 128 }),
  LLAMA_CPP: openAiForm({ maxTexts: 32 }),
  TEI: teiProtocol,
};

/** The protocol of a provider. Throws UNIMPLEMENTED for one that this build cannot call. */
export function embedderProtocol(provider: EmbedderProvider): EmbedderProtocol {
  const protocol = PROTOCOLS[provider];
  if (protocol === undefined) throw new ServiceError('UNIMPLEMENTED', `This build has no ${provider} embedder`);
  return protocol;
}

/** The `apiPath` of a record that names none; "" for in-process embedders. Throws UNIMPLEMENTED. */
export function defaultEmbedderApiPath(provider: EmbedderProvider, modelIdentifier: string): string {
  if (provider === 'BUILTIN') return '';
  return embedderProtocol(provider).defaultApiPath.replace('{modelIdentifier}', encodeURIComponent(modelIdentifier));
}
