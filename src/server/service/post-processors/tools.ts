import type { Tools } from '../../workers/post-processor/types.ts';
import { openLlm } from '../retrieval/chat-targets.ts';
import type { ProcessedCall } from '../retrieval/post-processing.ts';
import { rerankerKind } from '../targets/kinds.ts';
import type { TargetOpener } from '../targets/open-target.ts';

export interface ToolDeps {
  targets: TargetOpener;
  /** Bound of one call to a provider in milliseconds. */
  providerTimeoutMs: number;
}

const DEFAULT_TOKENS = 512;
const DEFAULT_TEMPERATURE = 0.3;

/** The inference of one call, and whether a reranker has answered in it. */
export interface CallTools extends Tools {
  readonly hasReranked: boolean;
}

/** Every use is checked against the caller of the retrieval, and ends with `signal`. */
export function callTools(
  { targets, providerTimeoutMs }: ToolDeps,
  { context, stages }: ProcessedCall,
  signal: AbortSignal,
): CallTools {
  const calling = { ...context, signal };
  let hasReranked = false;
  return {
    get hasReranked() {
      return hasReranked;
    },
    async rerank(id, query, texts) {
      const client = (await targets.open(rerankerKind, id, 'READ', calling)).client();
      const options = { signal, deadlineMs: Date.now() + providerTimeoutMs };
      const scores = await stages.run('rerank', () => client.rerank(query, texts, options));
      hasReranked = true;
      return scores;
    },
    async complete(id, system, user, { temperature = DEFAULT_TEMPERATURE, maxTokens = DEFAULT_TOKENS } = {}) {
      const client = (await openLlm(targets, id, calling)).client();
      const request = { system, user, sampling: { temperature, maxTokens } };
      const reply = await stages.run('summarize', () => client.complete(request, { signal }));
      if (reply.finish === 'length') throw new Error(`The reply was longer than ${maxTokens} tokens`);
      return reply.text;
    },
  };
}
