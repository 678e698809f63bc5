import { expect, test } from 'vitest';
import { camelCase, pascalCase, snakeCase } from '../../../src/shared/name-cases.ts';

test('fields and flags in camel case; camel case is unchanged', () => {
  expect(
    ['reranker_id', 'rest-port', 'rerankerId', 'space_embedders.embedder_id', 'p_99'].map((name) => camelCase(name)),
  ).toEqual(['rerankerId', 'restPort', 'rerankerId', 'spaceEmbedders.embedderId', 'p99']);
  // The type says the same.
  const port: 'restPort' = camelCase('rest-port');
  expect(port).toBe('restPort');
});

test('in Pascal case, whatever separates the words', () => {
  expect(['api_key', 'apiKey', 'memories:batchGet', 'llm_temp'].map(pascalCase)).toEqual([
    'ApiKey',
    'ApiKey',
    'MemoriesBatchGet',
    'LlmTemp',
  ]);
});

test('in snake case, and back', () => {
  for (const name of ['rerankerId', 'relevanceThreshold', 'prompt']) expect(camelCase(snakeCase(name))).toBe(name);
  expect(snakeCase('relevanceThreshold')).toBe('relevance_threshold');
});
