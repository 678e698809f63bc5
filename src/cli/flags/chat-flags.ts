import {
  CHAT_SETTINGS,
  type ChatSetting,
  type ChatSettingKey,
  settingProse,
} from '../../shared/operations/chat-settings.ts';
import { type Flag, type FlagValues, filling } from '../kit/flags/flag.ts';
import { decimal, integer, text, toggle } from '../kit/flags/kinds.ts';

/** The settings of the chat post processor that have a flag of their own in a command, by the name of its value. */
const SETTINGS = {
  reranker: 'reranker_id',
  llm: 'llm_id',
  threshold: 'relevance_threshold',
  temp: 'llm_temp',
  tokenBudget: 'gen_token_budget',
  noChronological: 'chronological_resort',
  sysPrompt: 'sys_prompt',
  prompt: 'prompt',
} as const satisfies Readonly<Record<string, ChatSettingKey>>;

type Name = keyof typeof SETTINGS;
type TypeOf<N extends Name> = (typeof CHAT_SETTINGS)[(typeof SETTINGS)[N]]['type'];
type ValueOf<T> = T extends 'boolean' ? boolean : (T extends 'number' | 'integer' ? number : string) | undefined;

/** What a shell completes. */
const COMPLETES = { reranker_id: 'rerankers', llm_id: 'llms' } as const;

/** Rerank, filter, sort and summarise. */
export const CHAT_FLAGS = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, key]) => [name, flagOf(key)]),
) as unknown as { readonly [N in Name]: Flag<ValueOf<TypeOf<N>>> };

/** The settings that were given, by config key. */
export function chatSettings(flags: FlagValues<typeof CHAT_FLAGS>): Record<string, string | number | boolean> {
  const given = Object.entries(SETTINGS).map(([name, key]) => {
    const value = flags[name as Name];
    // A toggle turns off what is on by default.
    return [key, typeof value === 'boolean' ? (value ? false : undefined) : value] as const;
  });
  return Object.fromEntries(given.filter((entry) => entry[1] !== undefined)) as ReturnType<typeof chatSettings>;
}

function flagOf(key: ChatSettingKey): Flag<unknown> {
  const setting: ChatSetting = CHAT_SETTINGS[key];
  const description = setting.flagProse ?? settingProse(setting);
  const field = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const flag = filling(kindOf(setting, description), field);
  return key in COMPLETES ? { ...flag, completes: COMPLETES[key as keyof typeof COMPLETES] } : flag;
}

function kindOf({ type, flag, min, max }: ChatSetting, description: string): Flag<unknown> {
  switch (type) {
    case 'boolean':
      return toggle(flag, description);
    case 'number':
      return decimal(flag, description, { min, max });
    case 'integer':
      return integer(flag, description, { min: min ?? 0, ...(max === undefined ? {} : { max }) });
    default:
      return text(flag, description);
  }
}
