import type { TargetClient, TargetRecord } from '../target.ts';

/** Every LLM provider; all of them speak the chat-completions form. */
export const LLM_PROVIDERS = [
  'OPENAI',
  'LITELLM_PROXY',
  'OPEN_ROUTER',
  'VLLM',
  'OLLAMA',
  'LLAMA_CPP',
  'CUSTOM_OPENAI_COMPATIBLE',
] as const;

export type LlmProvider = (typeof LLM_PROVIDERS)[number];

/** The `apiPath` of a record that names none. */
export const DEFAULT_LLM_API_PATH = '/chat/completions';

export interface LlmCapabilities {
  supportsChat: boolean;
  supportsCompletion: boolean;
  supportsFunctionCalling: boolean;
  supportsSystemMessages: boolean;
  supportsStreaming: boolean;
  supportsSamplingParameters: boolean;
}

/** What is left out is not sent. */
export interface SamplingParams {
  /** Tokens. */
  maxTokens?: number;
  /** 0 to 2. */
  temperature?: number;
  /** 0 to 1. */
  topP?: number;
  topK?: number;
  /** −2 to 2. */
  frequencyPenalty?: number;
  /** −2 to 2. */
  presencePenalty?: number;
  stopSequences?: readonly string[];
}

export interface LlmRecord extends TargetRecord<LlmProvider> {
  capabilities: LlmCapabilities;
  defaultSamplingParams: SamplingParams;
  /** Members that are merged into the body of every call. */
  clientConfig: Readonly<Record<string, unknown>>;
}

export interface ChatRequest {
  /** Precedes the user prompt where the model takes no system messages. */
  system: string;
  user: string;
  /** Beats the record's own values; maxTokens and temperature come from here alone. */
  sampling: SamplingParams;
}

export interface ChatReply {
  text: string;
  /** `length`: the model ran into `maxTokens`, and the text is cut. */
  finish: 'stop' | 'length' | 'other';
}

export interface ChatOptions {
  signal: AbortSignal;
  /** Epoch milliseconds at which the whole call ends as a time-out, retries included. */
  deadlineMs?: number;
  /** Gets each piece of the reply as it comes, where the model streams; a try that has begun to reply is not repeated. */
  onText?: (text: string) => void;
}

export interface LlmClient extends TargetClient {
  /**
   * One reply of the model, streamed from the provider where the model supports it, so that an abort also ends the work
   * of the provider. Rejects with a `ProviderError`, or with the signal's reason when the caller gives up.
   */
  complete(request: ChatRequest, options: ChatOptions): Promise<ChatReply>;
}
