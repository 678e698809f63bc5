import { create } from '@bufbuild/protobuf';
import { type Status, StatusSchema } from '../../../shared/gen/service/v1/common_pb.ts';
import type { LLMCapabilities } from '../../../shared/gen/service/v1/llm_pb.ts';
import type { LlmCapabilities } from '../../providers/llms/types.ts';

/** What nearly every model of today can do behind a chat-completions endpoint. */
const CHAT: LlmCapabilities = {
  supportsChat: true,
  supportsCompletion: false,
  supportsFunctionCalling: true,
  supportsSystemMessages: true,
  supportsStreaming: true,
  supportsSamplingParameters: true,
};

/** The order in which capabilities are listed. */
const CAPABILITY_NAMES = Object.keys(CHAT) as (keyof LlmCapabilities)[];

/** Models that return vectors or scores and no text. */
const NO_TEXT: LlmCapabilities = {
  supportsChat: false,
  supportsCompletion: false,
  supportsFunctionCalling: false,
  supportsSystemMessages: false,
  supportsStreaming: false,
  supportsSamplingParameters: false,
};

/** Models that complete a prompt and have no roles. */
const COMPLETION: LlmCapabilities = {
  ...CHAT,
  supportsChat: false,
  supportsCompletion: true,
  supportsFunctionCalling: false,
  supportsSystemMessages: false,
};

/** What the names of models tell; the first row that matches counts. Names are compared without vendor and case. */
const RULES: readonly (readonly [name: RegExp, capabilities: LlmCapabilities])[] = [
  [/embed|rerank|^(bge|e5|gte|all-minilm|colbert)(-|$)/, NO_TEXT],
  [/^(text-|code-)?(davinci|curie|babbage|ada|cushman)(-|$)/, COMPLETION],
  [/^gpt-3\.5-turbo-instruct/, COMPLETION],
  [/^(gpt-?2|gpt-j|gpt-neo|gpt-neox|pythia|opt|bloom)(-|:|$)/, COMPLETION],
  // What a trainer calls base has not been taught to answer.
  [/(-base|:text)(-|$)/, COMPLETION],
  // The first reasoning models refuse system messages, tools, and every sampling parameter but their defaults.
  [
    /^o1-(mini|preview)/,
    { ...CHAT, supportsFunctionCalling: false, supportsSystemMessages: false, supportsSamplingParameters: false },
  ],
  // Their successors refuse the parameters only. Names with "chat" are the variants that do not reason.
  [/^gpt-5.*chat/, CHAT],
  [/^(o[1-9]|gpt-5)([.-]|$)/, { ...CHAT, supportsSamplingParameters: false }],
  [/^deepseek-reasoner/, { ...CHAT, supportsFunctionCalling: false, supportsSamplingParameters: false }],
  [/^deepseek-r1/, { ...CHAT, supportsFunctionCalling: false }],
  // The chat templates of these families raise an error for a system message.
  [
    /^(code|recurrent)?gemma(?!-?[3-9]n?([.:-]|$))/,
    { ...CHAT, supportsFunctionCalling: false, supportsSystemMessages: false },
  ],
  [
    /^(mistral-7b|mixtral-8x7b)-instruct-v0\.[12]/,
    { ...CHAT, supportsFunctionCalling: false, supportsSystemMessages: false },
  ],
  // Older open chat models were trained without tools.
  [
    /^(llama-?2|codellama|vicuna|alpaca|tinyllama|zephyr|falcon|phi-?[1-3])([.:-]|$)/,
    { ...CHAT, supportsFunctionCalling: false },
  ],
];

/**
 * What a model can probably do, by its name: the provider is not asked. A name that tells nothing counts as a current
 * chat model; the request can override each capability.
 */
export function inferCapabilities(modelIdentifier: string): LlmCapabilities {
  const name = modelIdentifier.slice(modelIdentifier.lastIndexOf('/') + 1).toLowerCase();
  return RULES.find(([pattern]) => pattern.test(name))?.[1] ?? CHAT;
}

interface CompletedCapabilities {
  capabilities: LlmCapabilities;
  /** The ones that were not given. */
  inferred: (keyof LlmCapabilities)[];
}

/** The capabilities that a request gives, completed from the name of the model. */
export function completeCapabilities(
  given: LLMCapabilities | undefined,
  modelIdentifier: string,
): CompletedCapabilities {
  const capabilities = { ...inferCapabilities(modelIdentifier) };
  const inferred = CAPABILITY_NAMES.filter((name) => given?.[name] === undefined);
  for (const name of CAPABILITY_NAMES) capabilities[name] = given?.[name] ?? capabilities[name];
  return { capabilities, inferred };
}

/** One status for each capability that was inferred. */
export function inferenceStatuses({ capabilities, inferred }: CompletedCapabilities): Status[] {
  return inferred.map((capability) =>
    create(StatusSchema, {
      code: 'LLM_CAPABILITY_INFERRED',
      message: `${capability} inferred from the model`,
      details: { capability, value: String(capabilities[capability]) },
    }),
  );
}
