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
    hasThreshold: threshold !== undefined,
  };
}
