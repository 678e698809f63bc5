import type { ChatRequest, LlmRecord } from './types.ts';

/** The members in which servers of the chat-completions API differ. */
export interface ChatDialect {
  tokensMember: 'max_tokens' | 'max_completion_tokens';
  /** OpenAI itself does not know `top_k`. */
  topK: boolean;
}

/**
 * OpenAI's reasoning models refuse `max_tokens`; all other servers of this API accept it, and not all accept the newer
 * name. A guess that a server refuses is corrected by its error message.
 */
export function firstDialect({ providerType, modelIdentifier }: LlmRecord): ChatDialect {
  const reasons = providerType === 'OPENAI' && /^(?:o\d|gpt-5)/i.test(modelIdentifier);
  return { tokensMember: reasons ? 'max_completion_tokens' : 'max_tokens', topK: true };
}

/**
 * The body of a chat call, before JSON. `clientConfig` comes after the sampling values and may set any of them, but
 * neither the model, the messages and the stream nor the token limit of a request that brings its own.
 */
export function chatBody(
  record: LlmRecord,
  request: ChatRequest,
  { dialect, stream }: { dialect: ChatDialect; stream: boolean },
): Record<string, unknown> {
  const { maxTokens } = request.sampling;
  const { max_tokens, max_completion_tokens, ...config } = record.clientConfig;
  const limits =
    maxTokens === undefined ? { max_tokens, max_completion_tokens } : { [dialect.tokensMember]: maxTokens };
  return {
    ...(record.capabilities.supportsSamplingParameters ? samplingMembers(record, request, dialect) : {}),
    ...config,
    ...limits,
    model: record.modelIdentifier,
    messages: messagesOf(record, request),
    stream,
  };
}

function samplingMembers(
  { defaultSamplingParams: defaults }: LlmRecord,
  { sampling }: ChatRequest,
  { topK }: ChatDialect,
): Record<string, unknown> {
  const stop = sampling.stopSequences ?? defaults.stopSequences ?? [];
  return {
    temperature: sampling.temperature,
    top_p: sampling.topP ?? defaults.topP,
    ...(topK ? { top_k: sampling.topK ?? defaults.topK } : {}),
    frequency_penalty: sampling.frequencyPenalty ?? defaults.frequencyPenalty,
    presence_penalty: sampling.presencePenalty ?? defaults.presencePenalty,
    ...(stop.length === 0 ? {} : { stop }),
  };
}

function messagesOf({ capabilities }: LlmRecord, { system, user }: ChatRequest): { role: string; content: string }[] {
  if (system === '') return [{ role: 'user', content: user }];
  if (!capabilities.supportsSystemMessages) return [{ role: 'user', content: `${system}\n\n${user}` }];
  return [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
}

/** The dialect after a refusal with this text, undefined when the text is about something else. */
export function correctedDialect(sent: ChatDialect, first: ChatDialect, refusal: string): ChatDialect | undefined {
  if (sent.topK && /\btop_k\b/.test(refusal)) return { ...sent, topK: false };
  if (sent.tokensMember !== first.tokensMember) return undefined;
  if (sent.tokensMember === 'max_tokens') {
    return /\bmax_completion_tokens\b/.test(refusal) ? { ...sent, tokensMember: 'max_completion_tokens' } : undefined;
  }
  const unknown = /unsupported|unknown|unrecognized|unexpected|not supported|not permitted|forbidden/i.test(refusal);
  return unknown && /\bmax_completion_tokens\b/.test(refusal) ? { ...sent, tokensMember: 'max_tokens' } : undefined;
}
