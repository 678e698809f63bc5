import type { Ending } from '../kit/output/event-writer.ts';
import { counted, durationText } from '../kit/text/figures.ts';
import { oneLine } from '../kit/text/printable.ts';
import type { RetrievalProgress } from './entries.ts';
import type { RetrieveFlags, RetrieveRequest } from './request.ts';

/** What was asked for, as far as the words about its progress depend on it. */
export interface RetrievalOverview {
  /** The question. */
  readonly message: string;
  /** How many spaces are searched. */
  readonly spaces: number;
  /** The one that is searched, as it was named; SPACE when there are several. */
  readonly space: string;
  /** An LLM was asked for a summary. */
  readonly summarizes: boolean;
  /** The summary is what was asked for, and the results are its sources. */
  readonly answers: boolean;
  readonly hasFilter: boolean;
  readonly hasThreshold: boolean;
}

const STAGES: Readonly<Record<string, string>> = {
  vector_search: 'vector search',
  hybrid_search: 'hybrid search',
  text_search: 'text search',
  rerank: 'reranked',
};

/** What happens now: a few words for one line. */
export function stageText(progress: RetrievalProgress, plan: RetrievalOverview): string {
  if (progress.stageName === '') return `Searching ${counted(plan.spaces, 'space')}`;
  if (!progress.hasEnded) return soFar(progress);
  if (plan.summarizes && progress.results > 0 && !progress.isAnswered) {
    return `Summarizing ${counted(progress.results, 'result')}`;
  }
  return soFar(progress);
}

/** The line below everything that came, once nothing more will come. */
export function endingText(progress: RetrievalProgress, plan: RetrievalOverview, ending: Ending): string {
  if (ending === 'complete') return soFar(progress);
  const word = ending === 'stopped' ? 'Stopped' : 'Ended early';
  if (progress.stageName === '') return `${word} before the first result`;
  const isMissingSummary = progress.hasEnded && plan.summarizes && progress.results > 0 && !progress.isAnswered;
  return `${word}${isMissingSummary ? ' before the summary' : ''} · ${soFar(progress)}`;
}

function soFar({ stageName, results, expected, hasEnded }: RetrievalProgress): string {
  const isPart = !hasEnded && expected !== undefined && expected !== results;
  const count = isPart ? `${results} of ${counted(expected, 'result')}` : counted(results, 'result');
  return [count, STAGES[stageName] ?? oneLine(stageName)].filter(Boolean).join(' · ');
}

/** What an empty result means, and what to do next. */
export function nothingFound(
  { isUnsearched }: RetrievalProgress,
  plan: RetrievalOverview,
): [what: string, next: string] {
  if (isUnsearched) return ['Nothing was searched.', 'Try the embedder: svc ping ID'];
  const memories = `svc memories list ${plan.space}`;
  if (plan.hasThreshold) return ['Nothing found.', 'Lower --threshold, or leave it out'];
  if (plan.hasFilter) return ['Nothing found.', `Leave --filter out, or see what there is: ${memories}`];
  return ['Nothing found.', `See which memories are there and COMPLETED: ${memories}`];
}

/** `0.4 s`, `1 min 5 s`. */
export function elapsedText(ms: number): string {
  return ms < 60_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : durationText(ms);
}

/** What the renderers have to know about a request. */
export function retrievalPlan(
  { message = '', spaceKeys = [], postProcessor }: RetrieveRequest,
  { space, filter, threshold }: Pick<RetrieveFlags, 'space' | 'filter' | 'threshold'>,
  answers = false,
): RetrievalOverview {
  const config = postProcessor?.config ?? {};
  return {
    message,
    spaces: spaceKeys.length,
    space: (spaceKeys.length === 1 ? (space[0] ?? spaceKeys[0]?.spaceId) : undefined) ?? 'SPACE',
    summarizes: 'llm_id' in config,
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
