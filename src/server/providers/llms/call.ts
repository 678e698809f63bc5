import { isObject } from '../../../shared/json/parse.ts';
import { MalformedAnswer } from '../errors.ts';
import { SseParser } from '../sse-parser.ts';
import { embeddedError } from '../status-errors.ts';
import type { ClientDeps } from '../target.ts';
import { bodyText, type TargetAnswer, type TargetCall, TargetCaller, type TargetStream } from '../target-caller.ts';
import { ReplyCollector, replyIn } from './reply.ts';
import type { ChatReply, ChatRequest, LlmRecord } from './types.ts';

interface ChatCall {
  request: ChatRequest;
  signal: AbortSignal;
  timeoutMs: number;
  /** Gets each piece of a streamed reply. */
  onText?: (text: string) => void;
}

/** What came back: a reply that was streamed, or an answer in one piece. */
type Outcome = { reply: ChatReply } | { answer: TargetAnswer };

const MAX_ANSWER_BYTES = 8_388_608;
/** Each token of a stream comes with some 300 bytes around it. */
const MAX_STREAM_BYTES = 33_554_432;
/** OpenAI refuses a call whose limit is spent before the first word with these words. */
const LIMIT_REACHED = /max_tokens or model output limit was reached/;

/** Makes single calls of one LLM record: body, dialect, reply. */
export class ChatCaller {
  readonly target: TargetCaller;
  readonly #record: LlmRecord;
  readonly #first: ChatDialect;
  #dialect: ChatDialect;

  constructor(record: LlmRecord, deps: ClientDeps) {
    this.target = new TargetCaller(record, deps.http);
    this.#record = record;
    this.#first = firstDialect(record);
    this.#dialect = this.#first;
  }

  /** The body of a call in one piece as it would be sent now. */
  body(request: ChatRequest): Uint8Array {
    return this.#body(request, this.#dialect, false);
  }

  /** Streamed where the model supports it, so that an abort also ends the work of the provider. */
  async complete(call: ChatCall): Promise<ChatReply> {
    const stream = this.#record.capabilities.supportsStreaming;
    const outcome = await this.#inItsDialect(call, stream, (sent) =>
      stream ? this.#streamed(sent, call.onText) : this.#whole(sent),
    );
    return 'reply' in outcome ? outcome.reply : replyOf(outcome.answer);
  }

  /** One answer in one piece, with the means to read it. */
  async send(call: ChatCall): Promise<{ response: TargetAnswer['response']; read(): ChatReply }> {
    const { answer } = await this.#inItsDialect(call, false, (sent) => this.#whole(sent));
    return { response: answer.response, read: () => replyOf(answer) };
  }

  async #inItsDialect<T extends Outcome>(
    { request, signal, timeoutMs }: ChatCall,
    stream: boolean,
    send: (call: TargetCall) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      const dialect = this.#dialect;
      const body = this.#body(request, dialect, stream);
      const maxResponseBytes = stream ? MAX_STREAM_BYTES : MAX_ANSWER_BYTES;
      const outcome = await send({ body, signal, timeoutMs, maxResponseBytes });
      const corrected = 'answer' in outcome ? this.#corrected(dialect, outcome.answer) : undefined;
      if (corrected === undefined) return outcome;
      this.#dialect = corrected;
    }
  }

  #corrected(sent: ChatDialect, { failure, response }: TargetAnswer): ChatDialect | undefined {
    return failure?.reason === 'rejected' ? correctedDialect(sent, this.#first, bodyText(response)) : undefined;
  }

  async #whole(call: TargetCall): Promise<{ answer: TargetAnswer }> {
    return { answer: await this.target.send(call) };
  }

  #streamed(call: TargetCall, onText: ChatCall['onText']): Promise<Outcome> {
    return this.target.stream<Outcome>(call, {
      read: async (stream) => {
        // Some servers do not stream although they were asked to.
        if (/\bjson\b/i.test(String(stream.headers['content-type'] ?? ''))) {
          return { answer: await this.target.whole(stream) };
        }
        return { reply: await streamedReply(stream, this.target, onText) };
      },
      refused: async (answer) => ({ answer }),
    });
  }

  #body(request: ChatRequest, dialect: ChatDialect, stream: boolean): Uint8Array {
    return Buffer.from(JSON.stringify(chatBody(this.#record, request, { dialect, stream })));
  }
}

function replyOf(answer: TargetAnswer): ChatReply {
  if (answer.failure?.reason === 'rejected' && LIMIT_REACHED.test(bodyText(answer.response))) {
    return { text: '', finish: 'length' };
  }
  return answer.read((json) => {
    if (isObject(json) && isObject(json.error)) throw embeddedError(json.error, answer.context);
    return replyIn(json);
  });
}

/**
 * The reply of a stream of events, read until the server says that it is whole; the rest is left. Rejects with a
 * `ProviderError`: what the stream itself reports, or `invalid_response` for one that breaks off before its end.
 */
async function streamedReply(
  stream: TargetStream,
  caller: TargetCaller,
  onText?: (text: string) => void,
): Promise<ChatReply> {
  const parser = new SseParser();
  const collector = new ReplyCollector(onText);
  const isWhole = (events: readonly string[]) => events.some((data) => takeEvent(data, collector, stream));
  try {
    for await (const part of stream.parts) {
      if (isWhole(parser.push(part))) return collector.reply();
    }
    if (isWhole(parser.end())) return collector.reply();
  } catch (error) {
    if (error instanceof MalformedAnswer) throw caller.invalid(error.message, stream.status, { cause: error });
    throw error;
  }
  throw caller.invalid('a stream that ended before the reply did', stream.status, { retryable: true });
}

/** Whether the reply is whole after this event. */
function takeEvent(data: string, collector: ReplyCollector, { context }: TargetStream): boolean {
  if (data.trim() === '[DONE]') return true;
  let chunk: unknown;
  try {
    chunk = JSON.parse(data);
  } catch (cause) {
    throw new MalformedAnswer('an event that is not JSON', { cause });
  }
  if (isObject(chunk) && isPresent(chunk.error)) throw embeddedError(chunk.error, context);
  collector.add(chunk);
  return collector.isFinished;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The members in which servers of the chat-completions API differ. */
interface ChatDialect {
  tokensMember: 'max_tokens' | 'max_completion_tokens';
  /** OpenAI itself does not know `top_k`. */
  topK: boolean;
}

/**
 * OpenAI's reasoning models refuse `max_tokens`; all other servers of this API accept it, and not all accept the newer
 * name. A guess that a server refuses is corrected by its error message.
 */
function firstDialect({ providerType, modelIdentifier }: LlmRecord): ChatDialect {
  const reasons = providerType === 'OPENAI' && /^(?:o\d|gpt-5)/i.test(modelIdentifier);
  return { tokensMember: reasons ? 'max_completion_tokens' : 'max_tokens', topK: true };
}

/**
 * The body of a chat call, before JSON. `clientConfig` comes after the sampling values and may set any of them, but
 * neither the model, the messages and the stream nor the token limit of a request that brings its own.
 */
function chatBody(
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
function correctedDialect(sent: ChatDialect, first: ChatDialect, refusal: string): ChatDialect | undefined {
  if (sent.topK && /\btop_k\b/.test(refusal)) return { ...sent, topK: false };
  if (sent.tokensMember !== first.tokensMember) return undefined;
  if (sent.tokensMember === 'max_tokens') {
    return /\bmax_completion_tokens\b/.test(refusal) ? { ...sent, tokensMember: 'max_completion_tokens' } : undefined;
  }
  const unknown = /unsupported|unknown|unrecognized|unexpected|not supported|not permitted|forbidden/i.test(refusal);
  return unknown && /\bmax_completion_tokens\b/.test(refusal) ? { ...sent, tokensMember: 'max_tokens' } : undefined;
}
