import { standInScore } from '../../../support/stand-ins/rerankers.ts';
import { type Combination, MAX_RESULTS, QUESTION, THRESHOLD } from './combination.ts';

/** A chunk as the search ranked it, best first. */
export interface Ranked {
  text: string;
  score: number;
  memoryId: string;
  createdAt: number;
}

export interface Ids {
  reranker: string | undefined;
  llm: string | undefined;
}

/** What the stream must hold, in short: one line an event. */
export function expectedStream(found: readonly Ranked[], combination: Combination, ids: Ids): string[] {
  const { reranker, llm } = combination;
  const shown = shownItems(found, combination);
  const isReranked = reranker === 'ok';
  const lines: string[] = [];
  if (llm === 'absent') lines.push('FEATURE_DISABLED summarization llm_id');
  if (reranker === 'failing') lines.push(`RERANKING_FAILED ${ids.reranker} rejected`);
  if (reranker === 'slow') lines.push(`RERANKING_FAILED ${ids.reranker} timeout`);
  lines.push(`BEGIN ${isReranked ? 'rerank' : 'vector_search'} ${shown.length}`);
  shown.forEach(({ text, score, memoryId }, index) => {
    lines.push(`memory ${memoryId}`, `item ${index} ${score.toFixed(6)} ${text}`);
  });
  lines.push('END');
  if (llm === 'ok') lines.push(`reply ${expectedReply(shown)}`);
  if (llm === 'failing') lines.push(`SUMMARIZATION_FAILED ${ids.llm} rejected`);
  if (llm === 'slow') lines.push(`SUMMARIZATION_TIMEOUT ${ids.llm} timeout`);
  return lines;
}

function shownItems(found: readonly Ranked[], { reranker, threshold, chronological }: Combination): Ranked[] {
  let items = [...found];
  if (reranker === 'ok') {
    items = items.map((item) => ({ ...item, score: standInScore(QUESTION, item.text) }));
    items.sort((a, b) => b.score - a.score);
    if (threshold) items = items.filter(({ score }) => score >= THRESHOLD);
  }
  items = items.slice(0, MAX_RESULTS);
  if (chronological) items.sort((a, b) => b.createdAt - a.createdAt);
  return items;
}

/** The LLM repeats the prompt that it got, which holds every item in the order of the stream. */
function expectedReply(shown: readonly Ranked[]): string {
  const entries = shown.map(({ text, createdAt }, index) => {
    const time = new Date(createdAt).toISOString().replace('.000Z', 'Z');
    return `\n[${index + 1}] (a while ago, ${time})\n${text}`;
  });
  const data = ['Retrieved data, most recent to oldest:', ...entries].join('\n');
  return JSON.stringify(`Reply to: Question: ${QUESTION}\n\n${data}`);
}
