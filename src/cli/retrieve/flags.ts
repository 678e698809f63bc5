import { type CamelCase, camelCase } from '../../shared/name-cases.ts';
import {
  CHAT_SETTING_ENTRIES,
  type CHAT_SETTINGS,
  type ChatSetting,
  type ChatSettingKey,
  type SettingValue,
  settingProse,
} from '../../shared/operations/chat-settings.ts';
import { type Flag, type FlagValues, filling, flagName, inGroup } from '../kit/flags/flag.ts';
import { choice, decimal, integer, text, texts, toggle } from '../kit/flags/kinds.ts';

type Settings = typeof CHAT_SETTINGS;
type NameOf<Term extends string> = Term extends `--${infer Name} ${string}`
  ? CamelCase<Name>
  : Term extends `--${infer Name}`
    ? CamelCase<Name>
    : never;
type ValueOf<T extends ChatSetting['type']> = T extends 'boolean' ? boolean : SettingValue<T> | undefined;

/** Rerank, filter, sort and summarize: a flag for each setting of the chat post processor, under its name. */
type ChatFlags = { readonly [K in ChatSettingKey as NameOf<Settings[K]['flag']>]: Flag<ValueOf<Settings[K]['type']>> };

const ENTRIES = CHAT_SETTING_ENTRIES.map(([key, setting]) => ({ key, setting, name: nameOf(setting) }));
const CHAT_FLAGS = Object.fromEntries(
  ENTRIES.map(({ key, setting, name }) => [name, flagOf(key, setting)]),
) as unknown as ChatFlags;

/** The settings that were given, by config key. */
export function chatSettings(flags: FlagValues<ChatFlags>): Record<string, string | number | boolean> {
  const given = ENTRIES.map(({ key, name }) => {
    const value = flags[name];
    // A toggle turns off what is on by default.
    return [key, typeof value === 'boolean' ? (value ? false : undefined) : value] as const;
  });
  return Object.fromEntries(given.filter((entry) => entry[1] !== undefined)) as ReturnType<typeof chatSettings>;
}

function nameOf({ flag }: ChatSetting): keyof ChatFlags {
  return camelCase(flagName(flag)) as keyof ChatFlags;
}

function flagOf(key: ChatSettingKey, setting: ChatSetting): Flag<unknown> {
  const flag = filling(kindOf(setting, setting.flagProse ?? settingProse(setting)), camelCase(key));
  return setting.names === undefined ? flag : { ...flag, completes: setting.names };
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

const { maxResults: MAX_RESULTS, ...POST_PROCESSING } = CHAT_FLAGS;

/** Which spaces are searched and how. */
const SEARCH_FLAGS = inGroup('Search', {
  space: {
    ...texts('--space <name|id>', 'Space to search (repeatable; default: all of yours)'),
    completes: 'spaces' as const,
  },
  filter: text('--filter <expression>', 'Only memories that match'),
  // Without a post processor it is the size that the search is asked for.
  maxResults: filling(MAX_RESULTS, 'maxResults', 'requestedSize'),
  candidates: filling(
    integer('--candidates <n>', 'How many candidates the search hands to post-processing', { min: 1 }),
    'requestedSize',
  ),
  search: {
    ...choice('--search <mode>', 'How memories are found', ['vector', 'hybrid', 'text']),
    lacking: ['hybrid', 'text'],
  },
  neighbors: integer('--neighbors <n>', 'How many chunks to show before and after each result', { min: 0 }),
  embedderWeight: texts('--embedder-weight <name|id=weight>', 'Weight of an embedder (repeatable)'),
  efSearch: integer('--ef-search <n>', 'Candidates that the index keeps while it searches', { min: 1 }),
  iterativeScan: choice('--iterative-scan <mode>', 'Go on scanning when a filter drops rows', [
    'off',
    'relaxed',
    'strict',
  ]),
  maxScanTuples: integer('--max-scan-tuples <n>', 'The most rows that such a scan visits', { min: 1 }),
  scanMemMultiplier: decimal('--scan-mem-multiplier <n>', 'Memory of such a scan, in units of work_mem'),
});

const CHAT = inGroup('Post-processing', POST_PROCESSING);

/** Any of these turns post-processing on. */
const POST_FLAGS = {
  ...CHAT,
  ...inGroup('Post-processing', {
    postProcessor: filling(
      text('--post-processor <name>', 'Name of a post processor of the server'),
      'postProcessor.name',
    ),
    postProcessorConfig: filling(
      text('--post-processor-config <json|@file>', 'Its configuration'),
      'postProcessor.config',
    ),
  }),
};

/** What is sent along and what is shown. */
const RESULT_FLAGS = inGroup('Results', {
  context: texts('--context <text|@file>', 'Earlier turn of the conversation, oldest first (repeatable)'),
  content: toggle('--content', 'Fetch the content of each memory'),
  noMemory: toggle('--no-memory', 'Leave the records of the memories out'),
  full: toggle('--full', 'Show whole chunks'),
  explain: toggle('--explain', 'Show how the search ran'),
  interactive: toggle('-i, --interactive', 'Browse the results in a list (terminal only)'),
});

export const RETRIEVE_FLAGS = { ...SEARCH_FLAGS, ...POST_FLAGS, ...RESULT_FLAGS };

/** A question to the memories: searched and summarized as a retrieval is. */
export const ASK_FLAGS = {
  ...SEARCH_FLAGS,
  ...CHAT,
  llm: { ...CHAT.llm, description: 'The LLM that answers' },
  ...inGroup('Results', {
    context: RESULT_FLAGS.context,
    full: toggle('--full', 'Show the whole chunks of the sources'),
    explain: RESULT_FLAGS.explain,
  }),
};
