import { onTestFinished } from 'vitest';
import { createEmbedderClient } from '../../../../src/server/providers/embedders/client.ts';
import { defaultEmbedderApiPath } from '../../../../src/server/providers/embedders/protocols.ts';
import type { EmbedderRecord } from '../../../../src/server/providers/embedders/types.ts';
import { createLlmClient } from '../../../../src/server/providers/llms/client.ts';
import type { LlmRecord } from '../../../../src/server/providers/llms/types.ts';
import type { ProviderCallEvent } from '../../../../src/server/providers/observer.ts';
import { createRerankerClient } from '../../../../src/server/providers/rerankers/client.ts';
import { defaultRerankerApiPath } from '../../../../src/server/providers/rerankers/protocols.ts';
import type { RerankerRecord } from '../../../../src/server/providers/rerankers/types.ts';
import { ChatStandIn, type ChatStandInOptions } from '../../../support/stand-ins/chat.ts';
import {
  EmbedderStandIn,
  type EmbedderStandInOptions,
  type EmbedderStandInProvider,
  GEMINI_MODEL,
} from '../../../support/stand-ins/embedders.ts';
import {
  RerankStandIn,
  type RerankStandInOptions,
  type RerankStandInProvider,
} from '../../../support/stand-ins/rerankers.ts';
import { DIMENSIONS, newDeps, record } from './embedder-client.fixture.ts';

const ID = '01980000-0000-7000-8000-0000000000e1';

export const ALL_CAPABILITIES = {
  supportsChat: true,
  supportsCompletion: false,
  supportsFunctionCalling: false,
  supportsSystemMessages: true,
  supportsStreaming: true,
  supportsSamplingParameters: true,
};

/** What the clients of a test report about their calls. */
function watchedDeps(timeoutMs = 20_000) {
  const events: ProviderCallEvent[] = [];
  return { events, deps: newDeps({ timeoutMs, observe: (event) => events.push(event) }) };
}

export async function embedderOf(
  provider: EmbedderStandInProvider,
  extra: Partial<EmbedderRecord> = {},
  options: Partial<EmbedderStandInOptions> = {},
) {
  const standIn = await EmbedderStandIn.start(provider, { dimensions: DIMENSIONS, ...options });
  onTestFinished(() => standIn.close());
  const { events, deps } = watchedDeps();
  const modelIdentifier = provider === 'GEMINI' ? GEMINI_MODEL : 'model';
  const apiPath = defaultEmbedderApiPath(provider, modelIdentifier);
  const known = { providerType: provider, apiPath, modelIdentifier };
  return { standIn, events, client: createEmbedderClient(record(standIn.endpointUrl, { ...known, ...extra }), deps) };
}

export async function rerankerOf(
  provider: RerankStandInProvider,
  extra: Partial<RerankerRecord> = {},
  options: RerankStandInOptions = {},
) {
  const standIn = await RerankStandIn.start(provider, options);
  onTestFinished(() => standIn.close());
  const { events, deps } = watchedDeps();
  return { standIn, events, client: createRerankerClient(rerankerRecord(provider, standIn.endpointUrl, extra), deps) };
}

export function rerankerRecord(
  providerType: RerankStandInProvider,
  endpointUrl: string,
  extra: Partial<RerankerRecord> = {},
): RerankerRecord {
  const apiPath = defaultRerankerApiPath(providerType);
  const calling = { endpointUrl, apiPath, reach: 'any', modelIdentifier: 'rerank-base' } as const;
  return { id: ID, providerType, ...calling, updatedAt: 1, ...extra };
}

export async function llmOf(extra: Partial<LlmRecord> = {}, options: ChatStandInOptions = {}, timeoutMs = 20_000) {
  const standIn = await ChatStandIn.start(options);
  onTestFinished(() => standIn.close());
  const { events, deps } = watchedDeps(timeoutMs);
  return { standIn, events, client: createLlmClient(llmRecord(standIn.endpointUrl, extra), deps) };
}

export function llmRecord(endpointUrl: string, extra: Partial<LlmRecord> = {}): LlmRecord {
  return {
    id: ID,
    providerType: 'VLLM',
    endpointUrl,
    apiPath: '/chat/completions',
    reach: 'any',
    modelIdentifier: 'chat-8b',
    updatedAt: 1,
    capabilities: ALL_CAPABILITIES,
    defaultSamplingParams: {},
    clientConfig: {},
    ...extra,
  };
}
