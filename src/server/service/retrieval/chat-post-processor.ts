import type { JsonObject } from '@bufbuild/protobuf';
import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { ChatConfig } from '../../../shared/operations/chat-settings.ts';
import type { OpenReranker, TargetOpener } from '../targets/open-target.ts';
import type { PromptTemplates } from '../templates/prompt-templates.ts';
import type { RankedChunk } from './candidates.ts';
import { readChatConfig } from './chat-config.ts';
import { chatPrompts } from './chat-prompts.ts';
import { chatLlm, chatReranker } from './chat-targets.ts';
import { statusEvent } from './events.ts';
import type { PostProcessing, ProcessedCall } from './post-processing.ts';
import { rerank } from './rerank.ts';
import { type Summarizer, summarize } from './summarize.ts';

export interface ChatDeps {
  targets: TargetOpener;
  templates: PromptTemplates;
  /** Timeout of one call to a provider in milliseconds. */
  providerTimeoutMs: number;
}

/** With a reranker the search returns more chunks than the results, for the reranker to choose from. */
const RERANK_CANDIDATES = 50;

/**
 * The chat post processor: reranks, drops chunks below the threshold, cuts, sorts by time, and lets an LLM summarize the
 * results. Reports all problems of the config before the search.
 */
export async function prepareChat(deps: ChatDeps, given: JsonObject, call: ProcessedCall): Promise<PostProcessing> {
  const { request, context } = call;
  const { config, statuses } = readChatConfig(given);
  const [reranker, llm, { prompts, statuses: promptStatuses }] = await Promise.all([
    chatReranker(deps.targets, config.rerankerId, context),
    chatLlm(deps.targets, config.llmId, context),
    chatPrompts(deps.templates, config, context),
  ]);
  // While the reranker runs, memories may be deleted or become inaccessible, so they are loaded afterwards.
  const memories = llm.target !== undefined || reranker.target !== undefined;
  const summarizer: Summarizer | undefined =
    llm.target === undefined ? undefined : { llm: llm.target, templates: deps.templates, prompts, config };
  return {
    candidates: candidateCount(request.requestedSize, config.maxResults, reranker.target !== undefined),
    statuses: [...featureStatuses(config), ...statuses, ...promptStatuses, ...reranker.statuses, ...llm.statuses],
    async process(found, load) {
      const ranked = await rankChunks(deps, found, reranker.target, { config, call });
      const results = await load(order(ranked.chunks, config), { memories });
      const isSummarized = summarizer !== undefined && results.items.length > 0;
      return {
        results,
        statuses: ranked.failed ?? [],
        stageName: ranked.isReranked ? 'rerank' : undefined,
        conclude: isSummarized ? (resultSetId) => summarize(summarizer, results, call, resultSetId) : undefined,
      };
    },
  };
}

interface RankedChunks {
  /** The chunks to return, best first. */
  chunks: readonly RankedChunk[];
  isReranked: boolean;
  failed?: RetrieveMemoryEvent[];
}

async function rankChunks(
  { providerTimeoutMs }: ChatDeps,
  found: readonly RankedChunk[],
  reranker: OpenReranker | undefined,
  { config, call }: { config: ChatConfig; call: ProcessedCall },
): Promise<RankedChunks> {
  const { maxResults, relevanceThreshold = Number.NEGATIVE_INFINITY } = config;
  const unranked = { chunks: found.slice(0, maxResults), isReranked: false };
  if (reranker === undefined || found.length === 0) return unranked;
  const reranking = await rerank(reranker, found, call, providerTimeoutMs);
  if ('failed' in reranking) return { ...unranked, failed: reranking.failed };
  const relevant = reranking.chunks.filter(({ score }) => score >= relevanceThreshold);
  return { chunks: relevant.slice(0, maxResults), isReranked: true };
}

function candidateCount(requestedSize: number, maxResults: number, hasReranker: boolean): number {
  if (requestedSize > 0) return Math.max(requestedSize, maxResults);
  return hasReranker ? Math.max(RERANK_CANDIDATES, maxResults) : maxResults;
}

function featureStatuses({ llmId }: ChatConfig): RetrieveMemoryEvent[] {
  if (llmId !== undefined) return [];
  const details = { feature: 'summarization', required_param: 'llm_id' };
  return [statusEvent('FEATURE_DISABLED', 'No summary: llm_id is not set', details)];
}

/** By rank, or with `chronologicalResort` newest memory first and equal times by rank. */
function order(chunks: readonly RankedChunk[], { chronologicalResort }: ChatConfig): readonly RankedChunk[] {
  if (!chronologicalResort) return chunks;
  // The sort is stable, so chunks of equal time stay best first.
  return chunks.toSorted((a, b) => b.chunk.memoryCreatedAt - a.chunk.memoryCreatedAt);
}
