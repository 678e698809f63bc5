import type { Part, Schema } from './schema.ts';

interface Setting {
  schema: Schema;
  description: string;
}

/** What readers are told about the settings of the chat post processor, by config key. Nothing out of range is refused. */
export const CHAT_SETTING_PROSE: Readonly<Record<string, Setting>> = {
  reranker_id: {
    schema: { type: 'string', format: 'uuid' },
    description: 'The reranker that orders the results; none when left out.',
  },
  relevance_threshold: {
    schema: { type: 'number' },
    description: 'Drops results that the reranker scored lower.',
  },
  chronological_resort: {
    schema: { type: 'boolean', default: true },
    description: 'Sort the results by the creation of their memories, newest first.',
  },
  llm_id: {
    schema: { type: 'string', format: 'uuid' },
    description: 'The LLM that writes the summary; no summary when left out.',
  },
  llm_temp: { schema: { type: 'number', default: 0.3 }, description: 'The temperature of the summary, 0 to 2.' },
  max_results: {
    schema: { type: 'integer', default: 10 },
    description: 'The most results after the threshold, 1 to 1000.',
  },
  sys_prompt: {
    schema: { type: 'string' },
    description: 'Template of the system prompt, in Pebble syntax; a built-in one when left out.',
  },
  prompt: {
    schema: { type: 'string' },
    description: 'Template of the user prompt, with the variables userQuery, dataSection, context and results.',
  },
  gen_token_budget: {
    schema: { type: 'integer' },
    description: 'The most tokens of the summary; the output budget of the request, or 512, when left out.',
  },
};

/** The config of a post processor: these keys for the built-in one, any others for one's own. */
export const CHAT_CONFIG_SCHEMA: Schema = {
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(CHAT_SETTING_PROSE).map(([key, { schema, description }]): [string, Part] => [
      key,
      { ...schema, description },
    ]),
  ),
  additionalProperties: true,
};
