import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { OpenReranker } from '../targets/open-target.ts';
import type { RankedChunk } from './candidates.ts';
import { statusEvent } from './events.ts';
import type { ProcessedCall } from './post-processing.ts';
import { causeStatuses, stepFailure } from './provider-statuses.ts';

type Reranking = { chunks: RankedChunk[] } | { failed: RetrieveMemoryEvent[] };

/**
 * The chunks with the scores of the reranker, best first; chunks of equal score keep their order. A failure or timeout of
 * the reranker becomes statuses.
 */
export async function rerank(
  reranker: OpenReranker,
  chunks: readonly RankedChunk[],
  { request, context, stages }: ProcessedCall,
  timeoutMs: number,
): Promise<Reranking> {
  const texts = chunks.map(({ chunk }) => chunk.text);
  const options = { signal: context.signal, deadlineMs: Date.now() + timeoutMs };
  try {
    const scores = await stages.run('rerank', () => reranker.client().rerank(request.message, texts, options));
    const scored = chunks.map(({ chunk }, index) => ({ chunk, score: scores[index] ?? Number.NEGATIVE_INFINITY }));
    return { chunks: scored.sort((a, b) => b.score - a.score) };
  } catch (error) {
    const failure = stepFailure(error, 'reranking failed', reranker.record, context);
    return { failed: [...causeStatuses(failure), rerankingFailed(reranker.record.id, failure.error)] };
  }
}

/** `reason` is a word or two, `message` a sentence without a period. */
export function rerankingFailed(
  rerankerId: string,
  { reason, message }: { reason: string; message: string },
): RetrieveMemoryEvent {
  const text = `${message}; the results stay in the order of the search`;
  return statusEvent('RERANKING_FAILED', text, { reranker_id: rerankerId, reason });
}
