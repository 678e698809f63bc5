import { camelCase } from '../../shared/name-cases.ts';
import {
  CHAT_SETTINGS,
  type ChatSetting,
  type ChatSettingKey,
  settingProse,
} from '../../shared/operations/chat-settings.ts';
import { type Flag, type FlagValues, filling, inGroup } from '../kit/flags/flag.ts';
import { choice, decimal, integer, text, texts, toggle } from '../kit/flags/kinds.ts';

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

/** Rerank, filter, sort and summarize. */
const CHAT_FLAGS = Object.fromEntries(
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
  const flag = filling(kindOf(setting, description), camelCase(key));
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

/** Which spaces are searched and how. */
const SEARCH_FLAGS = inGroup('Search', {
  space: {
    ...texts('--space <name|id>', 'Space to search (repeatable; default: all of yours)'),
    completes: 'spaces' as const,
  },
  filter: text('--filter <expression>', 'Only memories that match'),
  maxResults: filling(integer('--max-results <n>', 'The most results', { min: 1 }), 'maxResults', 'requestedSize'),
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

const CHAT = inGroup('Post-processing', CHAT_FLAGS);

/** Any of these but `--max-results` turns post-processing on. */
export const POST_FLAGS = {
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
