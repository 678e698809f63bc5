import { ScalarType } from '@bufbuild/protobuf';
import { NOT_A_UUID } from '../errors.ts';
import { isUuid } from '../fields/formats.ts';
import { Problem, wrongType } from '../json/problems.ts';
import { scalarReader } from '../json/scalars.ts';
import type { CamelCase } from '../name-cases.ts';
import type { TargetNoun } from '../target-kinds.ts';

/**
 * The settings of the chat post processor, once: the check of a body, the names in a query, the flags of the command line
 * and the API description follow from these rows. What is out of range is dropped with a status, not refused.
 */

export interface ChatSetting {
  type: 'uuid' | 'number' | 'integer' | 'boolean' | 'string';
  /**
   * Bounds of a number, both inclusive. The command line refuses what is beyond them, so that a typing error is told before
   * anything is searched; the post processor goes on with the default.
   */
  min?: number;
  max?: number;
  /** What counts when it is left out; a setting without one is unset then. */
  default?: number | boolean;
  /** What it does, without its bounds. */
  prose: string;
  /** A GET takes it from its query; texts are for bodies. */
  inQuery: boolean;
  /** How the command line writes it: `--no-…` turns off what is on by default. */
  flag: string;
  /** What it is the id of. */
  names?: TargetNoun;
  /** What the flag does, where that is not what the setting does. */
  flagProse?: string;
}

const INT32_MAX = 2_147_483_647;

/** By config key. */
export const CHAT_SETTINGS = {
  reranker_id: {
    type: 'uuid',
    prose: 'The reranker that orders the results; none when left out',
    inQuery: true,
    flag: '--reranker <name|id>',
    names: 'rerankers',
  },
  relevance_threshold: {
    type: 'number',
    prose: 'Drops results that the reranker scored lower',
    inQuery: true,
    flag: '--threshold <score>',
  },
  chronological_resort: {
    type: 'boolean',
    default: true,
    prose: 'Sort the results by the creation of their memories, newest first',
    inQuery: true,
    flag: '--no-chronological',
    flagProse: 'Keep the order of relevance instead of newest first',
  },
  llm_id: {
    type: 'uuid',
    prose: 'The LLM that writes the summary; no summary when left out',
    inQuery: true,
    flag: '--llm <name|id>',
    names: 'llms',
  },
  llm_temp: {
    type: 'number',
    min: 0,
    max: 2,
    default: 0.3,
    prose: 'The temperature of the summary',
    inQuery: true,
    flag: '--temp <n>',
  },
  max_results: {
    type: 'integer',
    min: 1,
    max: 1000,
    default: 10,
    prose: 'The most results after the threshold',
    inQuery: true,
    flag: '--max-results <n>',
    flagProse: 'The most results',
  },
  sys_prompt: {
    type: 'string',
    prose: 'Template of the system prompt, in Pebble syntax; a built-in one when left out',
    inQuery: false,
    flag: '--sys-prompt <template>',
  },
  prompt: {
    type: 'string',
    prose: 'Template of the user prompt, with the variables userQuery, dataSection, context and results',
    inQuery: false,
    flag: '--prompt <template>',
  },
  gen_token_budget: {
    type: 'integer',
    min: 1,
    max: INT32_MAX,
    prose: 'The most tokens of the summary; the output budget of the request, or 512, when left out',
    inQuery: false,
    flag: '--token-budget <n>',
  },
} as const satisfies Readonly<Record<string, ChatSetting>>;

export type ChatSettingKey = keyof typeof CHAT_SETTINGS;

export const CHAT_SETTING_ENTRIES = Object.entries(CHAT_SETTINGS) as readonly (readonly [
  ChatSettingKey,
  ChatSetting,
])[];

/** What a setting does, with its bounds unless they are those of the type: `The temperature of the summary, 0 to 2`. */
export function settingProse({ prose, min, max }: ChatSetting): string {
  return min === undefined || max === undefined || max === INT32_MAX ? prose : `${prose}, ${min} to ${max}`;
}

interface Values {
  uuid: string;
  number: number;
  integer: number;
  boolean: boolean;
  string: string;
}

/** The value of a setting by its type. */
export type SettingValue<T extends ChatSetting['type'] = ChatSetting['type']> = Values[T];

const readDouble = scalarReader(ScalarType.DOUBLE) as (value: unknown) => number | Problem;

/** The one sentence for what stands in place of an integer, a fraction too, which is judged with the range. */
const NO_INTEGER = 'must be an integer';

/** Of each type the one reader of its JSON values. As everywhere, a number may be a decimal string. */
const READERS: { readonly [T in ChatSetting['type']]: (value: unknown) => SettingValue<T> | Problem } = {
  uuid: (value) =>
    typeof value === 'string' && isUuid(value) ? value.toLowerCase() : new Problem(NOT_A_UUID.problem, NOT_A_UUID),
  number: readDouble,
  integer: (value) => {
    const number = readDouble(value);
    return number instanceof Problem ? wrongType(NO_INTEGER) : number;
  },
  boolean: scalarReader(ScalarType.BOOL) as (value: unknown) => boolean | Problem,
  string: (value) => (typeof value === 'string' ? value : wrongType('must be a string')),
};

/** The value of a setting, or that it has not the form of one. Whether it is in range is not judged. */
export function readSetting({ type }: Pick<ChatSetting, 'type'>, value: unknown): SettingValue | Problem {
  return READERS[type](value);
}

/** Why a setting cannot have a value of its form; `undefined` when it can. */
export function settingRangeProblem(setting: ChatSetting, value: SettingValue): string | undefined {
  const { type, min = -Infinity, max = Infinity } = setting;
  if (typeof value !== 'number') return undefined;
  if (type === 'integer' && !Number.isInteger(value)) return NO_INTEGER;
  return value >= min && value <= max ? undefined : `must be between ${min} and ${max}`;
}

/** The settings as they are used: `reranker_id` is `rerankerId`. What has no default may be undefined. */
export type ChatConfig = {
  -readonly [K in ChatSettingKey as CamelCase<K>]: (typeof CHAT_SETTINGS)[K] extends { default: unknown }
    ? SettingValue<(typeof CHAT_SETTINGS)[K]['type']>
    : SettingValue<(typeof CHAT_SETTINGS)[K]['type']> | undefined;
};
