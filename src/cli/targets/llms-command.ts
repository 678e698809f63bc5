import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf';
import type { Status } from '../../shared/gen/service/v1/common_pb.ts';
import {
  type LLM,
  type LLMCapabilities,
  type LLMCapabilitiesSchema,
  LLMProviderTypeSchema,
  LLMSchema,
  LLMService,
  type SamplingParams,
  type SamplingParamsSchema,
} from '../../shared/gen/service/v1/llm_pb.ts';
import { TARGET_KINDS } from '../../shared/target-kinds.ts';
import { usageError } from '../kit/errors.ts';
import { enumChoice } from '../kit/flags/enum.ts';
import { type Flag, type FlagValues, filling, given } from '../kit/flags/flag.ts';
import { choiceError, decimal, integer, text, texts } from '../kit/flags/kinds.ts';
import { type InputIo, readJsonObject } from '../kit/input/read-input.ts';
import { resolveTargetOf, targetDeletion } from '../kit/naming/targets.ts';
import { enumText } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';
import { ownFlags, targetCommands } from './target-commands.ts';
import { targetParts } from './view.ts';

type Capabilities = MessageInitShape<typeof LLMCapabilitiesSchema>;
type Sampling = MessageInitShape<typeof SamplingParamsSchema>;

/** What an LLM can do, by the words of the flag and of the views. */
const CAPABILITIES = {
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
const LLM_FLAGS = {
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
async function llmFields(flags: FlagValues<typeof LLM_FLAGS>, io: InputIo): Promise<LlmFields> {
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

const llmView: View<typeof LLMSchema> = {
  desc: LLMSchema,
  ...targetParts<LLM>({
    id: ({ llmId }) => llmId,
    provider: ({ providerType }) => enumText(LLMProviderTypeSchema, providerType),
    columns: [
      {
        header: 'CONTEXT',
        value: ({ maxContextLength }) => String(maxContextLength ?? ''),
        align: 'right',
        whole: true,
      },
      { header: 'CAN', value: ({ capabilities }) => capabilitiesText(capabilities, true) },
    ],
    fields: [
      { header: 'can', value: ({ capabilities }) => capabilitiesText(capabilities, true) },
      { header: 'cannot', value: ({ capabilities }) => capabilitiesText(capabilities, false) },
      {
        header: 'context',
        value: ({ maxContextLength }) => (maxContextLength === undefined ? '' : `${maxContextLength} tokens`),
      },
      { header: 'sampling', value: ({ defaultSamplingParams }) => samplingText(defaultSamplingParams) },
      {
        header: 'client config',
        value: ({ clientConfig }) => (clientConfig === undefined ? '' : JSON.stringify(clientConfig)),
      },
    ],
  }),
};

function capabilitiesText(capabilities: LLMCapabilities | undefined, wanted: boolean): string {
  const words = Object.entries(CAPABILITIES).filter(([, field]) => capabilities?.[field] === wanted);
  return words.map(([word]) => word).join(', ');
}

/** In the words of the flags: `temperature 0.2, top-p 0.9`. */
function samplingText(params: SamplingParams | undefined): string {
  if (params === undefined) return '';
  const { maxTokens, temperature, topP, topK, frequencyPenalty, presencePenalty, stopSequences } = params;
  const numbers = {
    'max-tokens': maxTokens,
    temperature,
    'top-p': topP,
    'top-k': topK,
    'frequency-penalty': frequencyPenalty,
    'presence-penalty': presencePenalty,
  };
  const given = Object.entries(numbers).flatMap(([word, value]) => (value === undefined ? [] : `${word} ${value}`));
  return [...given, ...stopSequences.map((text) => `stop ${JSON.stringify(text)}`)].join(', ');
}

const { createLLM, getLLM, listLLMs, updateLLM, deleteLLM } = LLMService.method;

export const llms = targetCommands({
  noun: 'llms',
  name: TARGET_KINDS.llms.word,
  one: 'an LLM',
  exampleId: '01980000-0000-7000-8000-0000000000d1',
  goesBy: 'Name',
  resolve: (client, wanted) => resolveTargetOf('llms', client, wanted),
  deletion: (client, wanted) => targetDeletion('llms', client, wanted),
  view: llmView,
  idOf: ({ llmId }) => llmId,
  provider: filling(
    enumChoice('--provider <type>', 'Provider that runs the endpoint', LLMProviderTypeSchema),
    'providerType',
  ),
  needs: () => ['url'],
  needsText: 'Needs --provider, --name, --model and --url.',
  own: ownFlags(LLM_FLAGS, llmFields),
  updateNotes:
    'Capabilities, sampling and client config are replaced as a whole: capabilities that are not given are inferred again, sampling parameters that are not given are unset.',
  deleteSummary: 'Delete an LLM',
  examples: {
    create: [
      'llms create --provider OLLAMA --name Chat --url http://ollama.lan:11434/v1 --model llama3.1 --context-length 131072',
      'llms create --provider OPENAI --name Mini --url https://api.openai.com/v1 --model gpt-4o-mini --secret -',
      'llms create --provider VLLM --name Local --url http://llm.lan:8000/v1 --model chat-8b --capability streaming=false --temperature 0.2',
    ],
    list: ['llms list', 'llms list --label team=search', 'llms list --provider VLLM -o json'],
    update: [
      'llms update 01980000-0000-7000-8000-0000000000d1 --name "Chat, small"',
      'llms update 01980000-0000-7000-8000-0000000000d1 --capability function-calling=false --capability streaming',
      'llms update 01980000-0000-7000-8000-0000000000d1 --client-config @vllm.json',
    ],
    delete: 'llms list --label team=old -o ndjson | jq -r .llmId | xargs -n 1 svc llms delete -f',
  },
  calls: {
    create: async (client, target, id) => {
      const { llm, statuses } = await client.call(createLLM, { ...target, ...given({ llmId: id }) });
      return { record: llm, notes: notesOf(statuses) };
    },
    get: (client, id) => client.call(getLLM, { llmId: id }),
    list: async (client, filter) => (await client.call(listLLMs, filter)).llms,
    update: (client, id, change) => client.call(updateLLM, { llmId: id, ...change }),
    delete: (client, id) => client.call(deleteLLM, { llmId: id }),
  },
});

/** What was inferred comes as one status for each capability; people get one line for all of them, and see the values in the record. */
function notesOf(statuses: readonly Status[]): string[] {
  const can: string[] = [];
  const cannot: string[] = [];
  const notes: string[] = [];
  for (const { code, message, details } of statuses) {
    const word = Object.entries(CAPABILITIES).find(([, field]) => field === details.capability)?.[0];
    if (word === undefined) notes.push(`${message} (${code})`);
    else (details.value === 'false' ? cannot : can).push(word);
  }
  const inferred = [can.join(', '), cannot.map((word) => `not ${word}`).join(', ')].filter((part) => part !== '');
  if (inferred.length > 0) notes.unshift(`inferred from the model: ${inferred.join('; ')}`);
  return notes;
}
