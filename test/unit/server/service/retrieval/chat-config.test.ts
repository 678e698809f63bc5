import type { JsonObject } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { readChatConfig } from '../../../../../src/server/service/retrieval/chat-config.ts';
import { CHAT_SETTINGS } from '../../../../../src/shared/operations/chat-settings.ts';

const ID = '01980000-0000-7000-8000-0000000000d1';
const DEFAULTS = {
  rerankerId: undefined,
  relevanceThreshold: undefined,
  chronologicalResort: true,
  llmId: undefined,
  llmTemp: 0.3,
  maxResults: 10,
  sysPrompt: undefined,
  prompt: undefined,
  genTokenBudget: undefined,
};

/** The config and, for each remark, the key and the reason. */
function read(given: JsonObject) {
  const { config, statuses } = readChatConfig(given);
  const remarks = statuses.map(({ event }) => {
    if (event.case !== 'status') throw new Error(`not a status: ${event.case}`);
    const { code, message, details } = event.value;
    expect(code).toBe('INVALID_ARGUMENT');
    expect(message).toBe(`${details.param}: ${details.reason}`);
    return [details.param, details.reason];
  });
  return { config, remarks };
}

test('an empty config has the defaults', () => {
  expect(read({})).toEqual({ config: DEFAULTS, remarks: [] });
});

test('every setting is read', () => {
  const given = {
    reranker_id: ID,
    relevance_threshold: -0.5,
    chronological_resort: false,
    llm_id: ID.toUpperCase(),
    llm_temp: 2,
    max_results: 1000,
    sys_prompt: '',
    prompt: '{{ userQuery }}',
    gen_token_budget: 1,
  };
  expect(Object.keys(given)).toEqual(Object.keys(CHAT_SETTINGS));
  expect(read(given)).toEqual({
    config: {
      rerankerId: ID,
      relevanceThreshold: -0.5,
      chronologicalResort: false,
      llmId: ID,
      llmTemp: 2,
      maxResults: 1000,
      sysPrompt: '',
      prompt: '{{ userQuery }}',
      genTokenBudget: 1,
    },
    remarks: [],
  });
});

test('null means left out', () => {
  expect(read({ llm_id: null, max_results: null, unheard_of: null })).toEqual({ config: DEFAULTS, remarks: [] });
});

test('numbers and booleans may be given as text', () => {
  const given = { llm_temp: '0.7', max_results: '25', relevance_threshold: '-1e-1', chronological_resort: 'false' };
  expect(read(given)).toEqual({
    config: { ...DEFAULTS, llmTemp: 0.7, maxResults: 25, relevanceThreshold: -0.1, chronologicalResort: false },
    remarks: [],
  });
});

describe('an invalid setting is dropped with a status, and its default applies', () => {
  test.each([
    ['reranker_id', 'not-a-uuid', 'not a UUID'],
    ['llm_id', 7, 'not a UUID'],
    ['relevance_threshold', 'high', 'must be a number'],
    ['relevance_threshold', '0x10', 'must be a number'],
    ['relevance_threshold', '', 'must be a number'],
    ['relevance_threshold', Number.POSITIVE_INFINITY, 'must be a finite number'],
    ['relevance_threshold', true, 'must be a number'],
    ['chronological_resort', 1, 'must be true or false'],
    ['chronological_resort', 'yes', 'must be true or false'],
    ['llm_temp', 2.01, 'must be between 0 and 2'],
    ['llm_temp', -0.01, 'must be between 0 and 2'],
    ['llm_temp', [0.5], 'must be a number'],
    ['max_results', 0, 'must be between 1 and 1000'],
    ['max_results', 1001, 'must be between 1 and 1000'],
    ['max_results', 2.5, 'must be an integer'],
    ['max_results', 'abc', 'must be an integer'],
    ['max_results', true, 'must be an integer'],
    ['max_results', {}, 'must be an integer'],
    ['max_results', Number.POSITIVE_INFINITY, 'must be an integer'],
    ['gen_token_budget', 0, 'must be between 1 and 2147483647'],
    ['gen_token_budget', 2 ** 31, 'must be between 1 and 2147483647'],
    ['sys_prompt', 1, 'must be a string'],
    ['prompt', {}, 'must be a string'],
    ['unheard_of', 1, 'unknown key'],
    ['llmId', ID, 'unknown key; write llm_id'],
    ['maxResults', 5, 'unknown key; write max_results'],
    ['MAX_RESULTS', 5, 'unknown key'],
    ['toString', 1, 'unknown key'],
    ['__proto__', 1, 'unknown key'],
  ])('%s: %j', (key, value, reason) => {
    const given = JSON.parse(`{${JSON.stringify(key)}:null}`) as JsonObject;
    Object.defineProperty(given, key, { value, enumerable: true });
    expect(read(given)).toEqual({ config: DEFAULTS, remarks: [[key, reason]] });
  });

  test('an invalid setting does not affect the others', () => {
    const { config, remarks } = read({ max_results: -1, llm_temp: 1, nonsense: 'x' });
    expect(config).toEqual({ ...DEFAULTS, llmTemp: 1 });
    expect(remarks.map(([key]) => key)).toEqual(['max_results', 'nonsense']);
  });
});
