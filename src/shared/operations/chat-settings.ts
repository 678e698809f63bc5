import type { CamelCase } from '../name-cases.ts';

/**
 * The settings of the chat post processor, once: the check of a body, the names in a query, the flags of the command line
 * and the API description follow from these rows. What is out of range is dropped with a status, not refused.
 */

export interface ChatSetting {
  type: 'uuid' | 'number' | 'integer' | 'boolean' | 'string';
  /** Bounds of a number, both inclusive. */
  min?: number;
  max?: number;
  /** What counts when it is left out; a setting without one is unset then. */
  default?: number | boolean;
  /** What it does, without its bounds. */
  prose: string;
  /** A GET takes it from its query; texts are for bodies. */
  inQuery: boolean;
  /** How the command line writes it. */
  flag: string;
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

/** The settings as they are used: `reranker_id` is `rerankerId`. What has no default may be undefined. */
export type ChatConfig = {
  -readonly [K in ChatSettingKey as CamelCase<K>]: (typeof CHAT_SETTINGS)[K] extends { default: unknown }
    ? Values[(typeof CHAT_SETTINGS)[K]['type']]
    : Values[(typeof CHAT_SETTINGS)[K]['type']] | undefined;
};
