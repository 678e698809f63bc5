import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { ChatConfig } from '../../../shared/operations/chat-settings.ts';
import type { ChatReply } from '../../providers/llms/types.ts';
import type { TemplateVariables } from '../../workers/template/variables.ts';
import type { OpenLlm } from '../targets/open-target.ts';
import { type PromptTemplates, TemplateError } from '../templates/types.ts';
import { deltaEvent, replyEvent, statusEvent } from './events.ts';
import type { ProcessedCall } from './post-processing.ts';
import { causeStatuses } from './provider-statuses.ts';
import type { Results } from './results.ts';
import { stepFailure } from './step-failure.ts';
import { templateVariables } from './template-variables.ts';

/** The templates of the two prompts. */
export interface Prompts {
  system: string;
  user: string;
}

export interface Summarizer {
  llm: OpenLlm;
  templates: PromptTemplates;
  prompts: Prompts;
  config: ChatConfig;
}

/** Tokens of a reply when neither the config nor the request says how many. */
const DEFAULT_TOKENS = 512;

/**
 * Asks the LLM once about the results. What comes after them: its reply, in pieces first if the request wants them, or
 * what kept it from replying.
 */
export async function* summarize(
  summarizer: Summarizer,
  results: Results,
  call: ProcessedCall,
  resultSetId: string,
): AsyncIterable<RetrieveMemoryEvent> {
  const pieces = new TextPieces();
  const ending = conclusion(summarizer, results, { call, resultSetId, pieces }).finally(() => pieces.end());
  // Whoever stops reading the pieces does not wait for the rest.
  ending.catch(() => undefined);
  for await (const text of pieces) yield deltaEvent(resultSetId, text);
  yield* await ending;
}

/** Text that is written while it is read. What a slow reader has not taken yet becomes one piece. */
class TextPieces {
  #text = '';
  #isEnded = false;
  #wake: (() => void) | undefined;

  push(text: string): void {
    this.#text += text;
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<string> {
    for (;;) {
      const text = this.#text;
      this.#text = '';
      if (text !== '') yield text;
      else if (this.#isEnded) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

interface Summary {
  call: ProcessedCall;
  resultSetId: string;
  pieces: TextPieces;
}

async function conclusion(
  summarizer: Summarizer,
  results: Results,
  { call, resultSetId, pieces }: Summary,
): Promise<RetrieveMemoryEvent[]> {
  const { llm, config } = summarizer;
  const tokens = config.genTokenBudget ?? call.request.outputBudget?.tokens ?? DEFAULT_TOKENS;
  try {
    const asking = () => ask(summarizer, results, call, { tokens, onText: (text) => pieces.push(text) });
    const reply = await call.stages.run('summarize', asking);
    const text = reply.text.trim();
    if (reply.finish !== 'length' && text !== '') return [replyEvent(resultSetId, text)];
    call.stages.fail('summarize');
    if (reply.finish !== 'length') return [failed(llm.record.id, 'empty reply', 'The LLM gave an empty reply')];
    return [failed(llm.record.id, 'token budget', `The reply was longer than the budget of ${tokens} tokens`)];
  } catch (error) {
    call.context.signal.throwIfAborted();
    if (error instanceof TemplateError) return [failed(llm.record.id, 'prompt template', error.message)];
    const failure = stepFailure(error, 'summarizing failed', llm.record, call.context);
    const { reason, message } = failure.error;
    return [...causeStatuses(failure), failed(llm.record.id, reason, message)];
  }
}

async function ask(
  { llm, templates, prompts, config }: Summarizer,
  results: Results,
  { request, context: { signal, caller } }: ProcessedCall,
  { tokens, onText }: { tokens: number; onText: (text: string) => void },
): Promise<ChatReply> {
  const variables: TemplateVariables = templateVariables(request, results, Date.now());
  const system = await templates.render(prompts.system, variables, signal, caller?.userId);
  const user = await templates.render(prompts.user, variables, signal, caller?.userId);
  const sampling = { maxTokens: tokens, temperature: config.llmTemp };
  return await llm
    .client()
    .complete({ system, user, sampling }, { signal, ...(request.streamSummary ? { onText } : {}) });
}

function failed(llmId: string, reason: string, message: string): RetrieveMemoryEvent {
  const code = reason === 'timeout' ? 'SUMMARIZATION_TIMEOUT' : 'SUMMARIZATION_FAILED';
  return statusEvent(code, message, { llm_id: llmId, reason });
}
