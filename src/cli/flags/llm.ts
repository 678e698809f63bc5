import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf';
import type { LLMCapabilitiesSchema, SamplingParamsSchema } from '../../shared/gen/service/v1/llm_pb.ts';
import { usageError } from '../kit/errors.ts';
import { type Flag, type FlagValues, filling, given } from '../kit/flags/flag.ts';
import { choiceError, decimal, integer, text, texts } from '../kit/flags/kinds.ts';
import { type InputIo, readJsonObject } from '../kit/input/read-input.ts';

type Capabilities = MessageInitShape<typeof LLMCapabilitiesSchema>;
type Sampling = MessageInitShape<typeof SamplingParamsSchema>;

/** What an LLM can do, by the words of the flag and of the views. */
export const CAPABILITIES = {
  chat: 'supportsChat',
  completion: 'supportsCompletion',
  'function-calling': 'supportsFunctionCalling',
  'system-messages': 'supportsSystemMessages',
  streaming: 'supportsStreaming',
  'sampling-parameters': 'supportsSamplingParameters',
} as const;

const CAPABILITY: Flag<Capabilities | undefined> = {
  term: '--capability <name[=false]>',
  fields: ['capabilities'],
  description: 'What it can do, or cannot (repeatable; the others are inferred from the model)',
  choices: Object.keys(CAPABILITIES),
  read: (given) => (given.length === 0 ? undefined : Object.fromEntries(given.map(capabilityOf))),
};

function capabilityOf(entry: string): [field: string, value: boolean] {
  const [, name = '', value = 'true'] = /^([^=]*)(?:=(.*))?$/s.exec(entry) ?? [];
  const found = Object.entries(CAPABILITIES).find(([word]) => word === name.toLowerCase());
  if (found === undefined) {
    throw choiceError('--capability', Object.keys(CAPABILITIES), name);
  }
  if (value !== 'true' && value !== 'false') {
    throw usageError(`--capability ${name} must be true or false, got "${value}"`);
  }
  return [found[1], value === 'true'];
}

/** What only LLMs have. */
export const LLM_FLAGS = {
  capability: CAPABILITY,
  contextLength: filling(
    integer('--context-length <n>', 'The most tokens that it can read', { min: 1 }),
    'maxContextLength',
  ),
  clientConfig: text('--client-config <json|@file>', 'Merged into the body of each call to the provider'),
  maxTokens: integer('--max-tokens <n>', 'The most tokens to write', { min: 1 }),
  temperature: decimal('--temperature <n>', 'How freely it picks words, 0 to 2'),
  topP: decimal('--top-p <share>', 'Share of the likeliest words to pick from, 0 to 1'),
  topK: integer('--top-k <n>', 'Number of the likeliest words to pick from', { min: 1 }),
  frequencyPenalty: decimal('--frequency-penalty <n>', 'Penalty for words that were used often, -2 to 2'),
  presencePenalty: decimal('--presence-penalty <n>', 'Penalty for words that were used at all, -2 to 2'),
  stop: filling(texts('--stop <text>', 'Text at which it ends (repeatable)'), 'stopSequences'),
};

interface LlmFields {
  capabilities?: Capabilities;
  maxContextLength?: number;
  clientConfig?: JsonObject;
  defaultSamplingParams?: Sampling;
}

/** The members of a request that the flags ask for. A file of `@FILE` is read relative to the working folder. */
export async function llmFields(flags: FlagValues<typeof LLM_FLAGS>, io: InputIo): Promise<LlmFields> {
  const { capability, contextLength, clientConfig } = flags;
  return given({
    capabilities: capability,
    maxContextLength: contextLength,
    clientConfig: clientConfig === undefined ? undefined : await readJsonObject(io, clientConfig, '--client-config'),
    defaultSamplingParams: samplingOf(flags),
  });
}

function samplingOf(flags: FlagValues<typeof LLM_FLAGS>): Sampling | undefined {
  const { maxTokens, temperature, topP, topK, frequencyPenalty, presencePenalty, stop } = flags;
  const params = given({
    maxTokens,
    temperature,
    topP,
    topK,
    frequencyPenalty,
    presencePenalty,
    stopSequences: stop.length === 0 ? undefined : [...stop],
  });
  return Object.keys(params).length === 0 ? undefined : params;
}
