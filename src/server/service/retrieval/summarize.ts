import { Wakeup } from '../../../shared/async/wakeup.ts';
import type { Chunk, Memory, RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { ContextItem } from '../../../shared/gen/service/v1/retrieve_pb.ts';
import type { ChatConfig } from '../../../shared/operations/chat-settings.ts';
import { isoFromMs, relativeTime, timestampToMs } from '../../../shared/time.ts';
import type { ChatReply } from '../../providers/llms/types.ts';
import type { TemplateItem, TemplateVariables } from '../../workers/template/variables.ts';
import type { OpenLlm } from '../targets/open-target.ts';
import { type PromptTemplates, TemplateError } from '../templates/prompt-templates.ts';
import { deltaEvent, replyEvent, statusEvent } from './events.ts';
import type { ProcessedCall } from './post-processing.ts';
import { causeStatuses, stepFailure } from './provider-statuses.ts';
import type { Results } from './results.ts';

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

/** Token budget of a reply when neither the config nor the request has one. */
const DEFAULT_TOKENS = 512;

/**
 * Calls the LLM once with the results. Yields its reply, streamed in deltas first if requested, or the statuses of its
 * failure.
 */
export async function* summarize(
  summarizer: Summarizer,
  results: Results,
  call: ProcessedCall,
  resultSetId: string,
): AsyncIterable<RetrieveMemoryEvent> {
  const pieces = new TextPieces();
  const ending = conclusion(summarizer, results, { call, resultSetId, pieces }).finally(() => pieces.end());
  // A client that stops reading does not await this promise, which must not become an unhandled rejection.
  ending.catch(() => undefined);
  for await (const text of pieces) yield deltaEvent(resultSetId, text);
  yield* await ending;
}

/** Text that is read while it is being written. Text that a slow reader has not read yet is merged into one piece. */
class TextPieces {
  #text = '';
  #isEnded = false;
  readonly #changed = new Wakeup();

  push(text: string): void {
    this.#text += text;
    this.#changed.notify();
  }

  end(): void {
    this.#isEnded = true;
    this.#changed.notify();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<string> {
    for (;;) {
      const text = this.#text;
      this.#text = '';
      if (text !== '') yield text;
      else if (this.#isEnded) return;
      else await this.#changed.wait();
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
    if (reply.finish !== 'length') return [failed(llm.record.id, 'empty reply', 'The LLM returned an empty reply')];
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

const HEADING = 'Retrieved data, most recent to oldest:';

/** The template variables of one call; `now` in epoch milliseconds. */
function templateVariables(
  { message, context }: { message: string; context: readonly ContextItem[] },
  { items, memories }: Results,
  now: number,
): TemplateVariables {
  const results = items.flatMap(({ item, memoryId, score }, index) =>
    item.case === 'chunk' ? [templateItem(item.value, memories.get(memoryId), { index: index + 1, score, now })] : [],
  );
  return { userQuery: message, dataSection: dataSection(results), context: context.map(turnText), results };
}

function templateItem(
  chunk: Chunk,
  memory: Memory | undefined,
  { index, score, now }: { index: number; score: number; now: number },
): TemplateItem {
  const chunkMs = timestampMs(chunk.createdAt) ?? now;
  const memoryMs = timestampMs(memory?.createdAt);
  return {
    index,
    score,
    chunkText: chunk.chunkText,
    chunkSequenceNumber: chunk.chunkSequenceNumber,
    memoryId: chunk.memoryId,
    chunkId: chunk.chunkId,
    chunkTimestamp: new Date(chunkMs),
    relativeTimeDescription: relativeTime(memoryMs ?? chunkMs, now),
    memoryCreatedAt: memoryMs === undefined ? null : new Date(memoryMs),
    memoryMetadata: memory?.metadata ?? {},
  };
}

function timestampMs(timestamp: Parameters<typeof timestampToMs>[0] | undefined): number | undefined {
  return timestamp === undefined ? undefined : timestampToMs(timestamp);
}

/** Each result with its number, the age of its memory, and the time of its creation. */
function dataSection(results: readonly TemplateItem[]): string {
  const entries = results.map((item) => {
    const time = isoFromMs(Number(item.memoryCreatedAt ?? item.chunkTimestamp));
    return `\n[${item.index}] (${item.relativeTimeDescription}, ${time})\n${item.chunkText}`;
  });
  return [HEADING, ...entries].join('\n');
}

function turnText({ item }: ContextItem): string {
  if (item.case !== 'binary') return item.value ?? '';
  return `[binary ${item.value.contentType}, ${item.value.data.byteLength} bytes]`;
}
