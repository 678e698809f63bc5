import type { RetrievalPlan } from '../render/retrieve-words.ts';
import type { RetrieveFlags, RetrieveRequest } from './request.ts';

/** What the renderers have to know about a request. */
export function retrievalPlan(
  { message = '', spaceKeys = [], postProcessor }: RetrieveRequest,
  { space, filter, threshold }: Pick<RetrieveFlags, 'space' | 'filter' | 'threshold'>,
  answers = false,
): RetrievalPlan {
  const config = postProcessor?.config ?? {};
  return {
    message,
    spaces: spaceKeys.length,
    space: (spaceKeys.length === 1 ? (space[0] ?? spaceKeys[0]?.spaceId) : undefined) ?? 'SPACE',
    summarises: 'llm_id' in config,
    answers,
    hasFilter: filter !== undefined && filter.trim() !== '',
    hasThreshold: threshold !== undefined && hasScores(postProcessor),
  };
}

/** What to say of a threshold that nothing is held against; undefined when there is no such thing to say. */
export function thresholdRemark(
  { postProcessor }: RetrieveRequest,
  { threshold }: Pick<RetrieveFlags, 'threshold'>,
): string | undefined {
  if (threshold === undefined || hasScores(postProcessor)) return undefined;
  return 'note: --threshold is ignored: it applies to the scores of a reranker. Choose one with --reranker';
}

/** A reranker gives the scores that a threshold applies to; what a post processor of the server does is its own affair. */
function hasScores(postProcessor: RetrieveRequest['postProcessor']): boolean {
  return (postProcessor?.name ?? '') !== '' || 'reranker_id' in (postProcessor?.config ?? {});
}
