import { camelCase } from '../../shared/name-cases.ts';
import {
  CHAT_SETTINGS,
  type ChatSetting,
  type ChatSettingKey,
  type SettingValue,
  settingProse,
} from '../../shared/operations/chat-settings.ts';
import { type Flag, type FlagValues, filling, given, inGroup } from '../kit/flags/flag.ts';
import { choice, decimal, integer, text, texts, toggle } from '../kit/flags/kinds.ts';

type Bounds = Required<Pick<ChatSetting, 'min' | 'max'>>;

/** The flag of a setting of the chat post processor, as the table of the settings has it. */
function ofSetting<T>(
  key: ChatSettingKey,
  kind: (term: string, description: string, bounds: Bounds) => Flag<T>,
): Flag<T> {
  const setting: ChatSetting = CHAT_SETTINGS[key];
  const { flag: term, flagProse = settingProse(setting), min = -Infinity, max = Infinity, names } = setting;
  const flag = filling(kind(term, flagProse, { min, max }), camelCase(key));
  return names === undefined ? flag : { ...flag, completes: names };
}

/** Which spaces are searched and how. */
const SEARCH_FLAGS = inGroup('Search', {
  space: {
    ...texts('--space <name|id>', 'Space to search (repeatable; default: all of yours)'),
    completes: 'spaces' as const,
  },
  filter: text('--filter <expression>', 'Only memories that match'),
  // Without a post processor it is the size that the search is asked for.
  maxResults: filling(ofSetting('max_results', integer), 'maxResults', 'requestedSize'),
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

/** Rerank, filter, sort and summarize. */
const CHAT = inGroup('Post-processing', {
  reranker: ofSetting('reranker_id', text),
  threshold: ofSetting('relevance_threshold', decimal),
  noChronological: ofSetting('chronological_resort', toggle),
  llm: ofSetting('llm_id', text),
  temp: ofSetting('llm_temp', decimal),
  sysPrompt: ofSetting('sys_prompt', text),
  prompt: ofSetting('prompt', text),
  tokenBudget: ofSetting('gen_token_budget', integer),
});

type ChatFlags = typeof CHAT & Pick<typeof SEARCH_FLAGS, 'maxResults'>;

/** The settings that were given, by config key. */
export function chatSettings(flags: FlagValues<ChatFlags>): Record<string, SettingValue> {
  const settings: Record<ChatSettingKey, SettingValue | undefined> = {
    reranker_id: flags.reranker,
    relevance_threshold: flags.threshold,
    // A toggle turns off what is on by default.
    chronological_resort: flags.noChronological ? false : undefined,
    llm_id: flags.llm,
    llm_temp: flags.temp,
    max_results: flags.maxResults,
    sys_prompt: flags.sysPrompt,
    prompt: flags.prompt,
    gen_token_budget: flags.tokenBudget,
  };
  return given(settings);
}

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
