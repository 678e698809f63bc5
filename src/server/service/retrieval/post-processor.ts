import { invalidFields } from '../../../shared/errors.ts';
import type { RetrieveMemoryEvent, RetrieveMemoryRequest } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { RankedChunk } from './candidates.ts';
import { type ChatConfig, readChatConfig } from './chat-config.ts';
import { statusEvent } from './events.ts';

/** What happens to the candidates between the search and the stream. */
export interface PostProcessing {
  /** Candidates that the search must bring. */
  candidates: number;
  /** Known before the search; the first events of the stream. */
  statuses: RetrieveMemoryEvent[];
  /** From the candidates, best first, to what is streamed, in its order. */
  process(chunks: readonly RankedChunk[]): RankedChunk[];
}

const DEFAULT_SIZE = 20;
/** With a reranker the search brings more than is shown, for the reranker to choose from. */
const RERANK_CANDIDATES = 50;
const CHAT = 'ChatPostProcessorFactory';

/** The post processing that a request asks for. Throws INVALID_ARGUMENT for a name that nobody has. */
export function postProcessing(request: RetrieveMemoryRequest): PostProcessing {
  const { postProcessor, requestedSize } = request;
  if (postProcessor === undefined) {
    const candidates = requestedSize === 0 ? DEFAULT_SIZE : requestedSize;
    return { candidates, statuses: [], process: (chunks) => chunks.slice(0, candidates) };
  }
  const name = postProcessor.name ?? CHAT;
  if (name.split('.').at(-1) !== CHAT) {
    throw invalidFields([{ path: 'postProcessor.name', problem: 'no post processor has this name' }]);
  }
  const { config, statuses } = readChatConfig(postProcessor.config ?? {});
  return {
    candidates: candidateCount(requestedSize, config),
    statuses: [...featureStatuses(config), ...statuses, ...targetStatuses(config)],
    process: (chunks) => order(chunks.slice(0, config.maxResults), config),
  };
}

function candidateCount(requestedSize: number, { maxResults, rerankerId }: ChatConfig): number {
  if (requestedSize > 0) return Math.max(requestedSize, maxResults);
  return rerankerId === undefined ? maxResults : Math.max(RERANK_CANDIDATES, maxResults);
}

function featureStatuses({ llmId }: ChatConfig): RetrieveMemoryEvent[] {
  if (llmId !== undefined) return [];
  const details = { feature: 'summarization', required_param: 'llm_id' };
  return [statusEvent('FEATURE_DISABLED', 'No summary: llm_id is not set', details)];
}

/** This build has no rerankers and no LLMs, so whichever id is given names none. */
function targetStatuses({ rerankerId, llmId }: ChatConfig): RetrieveMemoryEvent[] {
  const statuses: RetrieveMemoryEvent[] = [];
  if (rerankerId !== undefined) {
    const details = { reranker_id: rerankerId };
    statuses.push(statusEvent('NOT_FOUND', `Reranker not found: ${rerankerId}`, details));
    const reason = { ...details, reason: 'not found' };
    statuses.push(statusEvent('RERANKING_FAILED', 'Results keep the order of the search', reason));
  }
  if (llmId !== undefined) statuses.push(statusEvent('NOT_FOUND', `LLM not found: ${llmId}`, { llm_id: llmId }));
  return statuses;
}

/** Newest memory first, equal times by score; or as the search ranked them. */
function order(chunks: readonly RankedChunk[], { chronologicalResort }: ChatConfig): RankedChunk[] {
  if (!chronologicalResort) return [...chunks];
  // The sort is stable, so chunks of equal time stay best first.
  return chunks.toSorted((a, b) => b.chunk.memoryCreatedAt - a.chunk.memoryCreatedAt);
}
