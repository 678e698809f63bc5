import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../../src/shared/errors.ts';
import { CHAT_SETTINGS } from '../../../../src/shared/operations/chat-settings.ts';
import { retrieveFromQuery, retrieveQueryName } from '../../../../src/shared/operations/retrieve-query.ts';

const A = '01980000-0000-7000-8000-0000000000b1';
const B = '01980000-0000-7000-8000-0000000000b2';

const read = (query: string) => retrieveFromQuery(new URLSearchParams(query));
const configOf = (query: string) => read(query).postProcessor?.config;

/** The details of the refusal of a query. */
function refusal(query: string): string {
  try {
    read(query);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_ARGUMENT') return error.details;
    throw error;
  }
  return 'no refusal';
}

describe('the request', () => {
  test('always has the chat post processor, without settings by default', () => {
    const { postProcessor } = read(`message=hello&spaceIds=${A}`);
    expect(postProcessor).toMatchObject({ config: {} });
    expect(postProcessor?.name).toBeUndefined();
  });

  test.each([
    'requestedSize=7&fetchMemory=false&fetchMemoryContent=1',
    'requested_size=7&fetch_memory=0&fetch_memory_content=true',
  ])('its own fields by %s', (query) => {
    const request = read(`message=hello&explain=true&${query}`);
    expect(request).toMatchObject({
      message: 'hello',
      requestedSize: 7,
      fetchMemory: false,
      fetchMemoryContent: true,
      explain: true,
    });
  });

  test('fetchMemory is unset when left out', () => {
    expect(read('message=hello').fetchMemory).toBeUndefined();
  });

  test.each(['neighbors=2', 'maxPerMemory=2', 'search.mode=TEXT', 'hnsw.efSearch=5', 'outputBudget=5'])(
    '%s exists in POST only and is ignored',
    (query) => {
      expect(read(`message=hello&${query}`)).toEqual(read('message=hello'));
    },
  );

  test.each([
    `spaceIds=${A},${B}`,
    `spaceIds=${A}&spaceIds=${B}`,
    `space_ids=${A},${B}`,
    `spaceIds=${A}%20,%20${B},`,
    `spaceIds=${A},${B}&space_ids=${B}`,
  ])('spaces by %s', (query) => {
    expect(read(query).spaceKeys.map(({ spaceId, filter }) => [spaceId, filter])).toEqual([
      [A, undefined],
      [B, undefined],
    ]);
  });

  test('no space id is an empty list, which validation refuses', () => {
    expect(read('message=hello&spaceIds=').spaceKeys).toEqual([]);
  });

  test('one filter applies to every space; of a repeated one the last wins', () => {
    const filters = read(`spaceIds=${A},${B}&filter=first&filter=a%20%3D%201`).spaceKeys.map(({ filter }) => filter);
    expect(filters).toEqual(['a = 1', 'a = 1']);
  });
});

/** Each setting with its names, best first, and values in the order of those names. */
const SETTINGS = [
  ['reranker_id', 'RerankerId', [A, B, A, B]],
  ['llm_id', 'LlmId', [A, B, A, B]],
  ['relevance_threshold', 'RelevanceThreshold', [0.1, 0.2, 0.3, 0.4]],
  ['llm_temp', 'LlmTemp', [0.1, 0.2, 0.3, 0.4]],
  ['max_results', 'MaxResults', [1, 2, 3, 4]],
  ['chronological_resort', 'ChronologicalResort', [true, false, true, false]],
] as const;

describe.each(SETTINGS)('%s', (key, camel, values) => {
  const names = [`postProcessor${camel}`, `pp${camel}`, `post_processor_${key}`, `pp_${key}`];

  test.each(names.map((name, index) => [name, values[index]] as const))('is read by %s', (name, value) => {
    expect(configOf(`${name}=${value}`)).toEqual({ [key]: value });
  });

  test.each(names.map((name, index) => [name, index] as const))(
    '%s takes precedence over the later names',
    (_name, index) => {
      const query = names
        .map((name, at) => `${name}=${values[at]}`)
        .slice(index)
        .reverse()
        .join('&');
      expect(configOf(query)).toEqual({ [key]: values[index] });
    },
  );

  test('of a repeated name the last wins', () => {
    expect(configOf(`pp_${key}=${values[0]}&pp_${key}=${values[1]}`)).toEqual({ [key]: values[1] });
  });

  test('another type is refused under the given name', () => {
    expect(refusal(`pp_${key}=nonsense`)).toContain(`pp_${key}: `);
    expect(refusal(`pp${camel}=`)).toContain(`pp${camel}: `);
  });
});

test('the settings are the non-text ones of the post processor', () => {
  const inPostOnly = ['sys_prompt', 'prompt', 'gen_token_budget'];
  const known = Object.keys(CHAT_SETTINGS).filter((key) => !inPostOnly.includes(key));
  expect(SETTINGS.map(([key]) => key as string).sort()).toEqual(known.sort());
  for (const key of inPostOnly) expect(configOf(`pp_${key}=1&post_processor_${key}=1`)).toEqual({});
});

test('a number out of range is left to the post processor', () => {
  expect(configOf('pp_max_results=-5&ppLlmTemp=99')).toEqual({ max_results: -5, llm_temp: 99 });
});

test.each(['0x10', 'Infinity', 'NaN', '1_000', ' '])('%j is no number', (text) => {
  expect(refusal(`pp_llm_temp=${encodeURIComponent(text)}`)).toContain('must be a number');
  expect(refusal(`pp_max_results=${encodeURIComponent(text)}`)).toContain('must be an integer');
});

test('1 and 0 are booleans, ids are lowered', () => {
  expect(configOf('pp_chronological_resort=0')).toEqual({ chronological_resort: false });
  expect(configOf(`pp_llm_id=${A.toUpperCase()}`)).toEqual({ llm_id: A });
});

test('all violations are reported at once', () => {
  const details = refusal('pp_llm_id=x&ppMaxResults=y&postProcessorChronologicalResort=z');
  for (const name of ['pp_llm_id', 'ppMaxResults', 'postProcessorChronologicalResort']) {
    expect(details).toContain(name);
  }
});

test('violations use the names of the query', () => {
  const paths = ['spaceKeys', 'spaceKeys[1].spaceId', 'spaceKeys[0].filter', 'message'];
  expect(paths.map(retrieveQueryName)).toEqual(['spaceIds', 'spaceIds[1]', 'filter', 'message']);
});
