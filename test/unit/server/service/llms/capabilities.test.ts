import { expect, test } from 'vitest';
import { inferCapabilities } from '../../../../../src/server/service/llms/capabilities.ts';

/** What a model cannot do, in short; everything but bare completion is expected of a chat model. */
const LACKS = {
  nothing: [],
  tools: ['supportsFunctionCalling'],
  sampling: ['supportsSamplingParameters'],
  'sampling and tools': ['supportsFunctionCalling', 'supportsSamplingParameters'],
  'system messages and tools': ['supportsFunctionCalling', 'supportsSystemMessages'],
  'system messages, tools and sampling': [
    'supportsFunctionCalling',
    'supportsSystemMessages',
    'supportsSamplingParameters',
  ],
} as const;

const CHAT_MODELS: readonly (readonly [string, keyof typeof LACKS])[] = [
  ['chat-8b', 'nothing'],
  ['gpt-4o', 'nothing'],
  ['gpt-3.5-turbo', 'nothing'],
  ['gpt-4.1-mini', 'nothing'],
  ['gpt-oss-20b', 'nothing'],
  ['anthropic/claude-sonnet-4', 'nothing'],
  ['meta-llama/Llama-3.1-8B-Instruct', 'nothing'],
  ['qwen3:8b', 'nothing'],
  ['mistral-small-latest', 'nothing'],
  ['google/gemma-3-4b-it', 'nothing'],
  ['gemma3n:e4b', 'nothing'],
  ['phi4', 'nothing'],
  ['gpt-5-chat-latest', 'nothing'],
  ['OPENAI/O3-MINI', 'sampling'],
  ['o1', 'sampling'],
  ['o4-mini-2025-04-16', 'sampling'],
  ['gpt-5', 'sampling'],
  ['gpt-5.1', 'sampling'],
  ['openrouter/openai/gpt-5-nano', 'sampling'],
  ['o1-mini', 'system messages, tools and sampling'],
  ['o1-preview-2024-09-12', 'system messages, tools and sampling'],
  ['deepseek-reasoner', 'sampling and tools'],
  ['deepseek-r1:7b', 'tools'],
  ['deepseek-chat', 'nothing'],
  ['google/gemma-7b-it', 'system messages and tools'],
  ['gemma2:9b', 'system messages and tools'],
  ['gemma-2-27b-it', 'system messages and tools'],
  ['codegemma', 'system messages and tools'],
  ['mistralai/Mistral-7B-Instruct-v0.2', 'system messages and tools'],
  ['mistralai/Mistral-7B-Instruct-v0.3', 'nothing'],
  ['llama2:13b', 'tools'],
  ['meta-llama/Llama-2-7b-chat-hf', 'tools'],
  ['phi3:mini', 'tools'],
];

test.each(CHAT_MODELS)('%s chats and lacks %s', (model, lack) => {
  const capabilities = inferCapabilities(model);
  const missing = Object.entries(capabilities).filter(([name, value]) => !value && name !== 'supportsCompletion');
  expect(missing.map(([name]) => name)).toEqual(LACKS[lack]);
  expect(capabilities.supportsCompletion).toBe(false);
});

test.each([
  'text-davinci-003',
  'davinci-002',
  'babbage-002',
  'gpt-3.5-turbo-instruct',
  'openai-community/gpt2',
  'EleutherAI/pythia-1b',
  'Qwen/Qwen2.5-7B-base',
  'llama3:text',
])('%s completes prompts', (model) => {
  expect(inferCapabilities(model)).toEqual({
    supportsChat: false,
    supportsCompletion: true,
    supportsFunctionCalling: false,
    supportsSystemMessages: false,
    supportsStreaming: true,
    supportsSamplingParameters: true,
  });
});

test.each([
  'text-embedding-3-small',
  'nomic-embed-text',
  'BAAI/bge-m3',
  'intfloat/e5-large-v2',
  'gte-base',
  'rerank-v3.5',
  'text-embedding-ada-002',
])('%s generates no text', (model) => {
  expect(Object.values(inferCapabilities(model))).toEqual(Array(6).fill(false));
});
