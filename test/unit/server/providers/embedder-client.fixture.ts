import { expect } from 'vitest';
import { createEmbedderClient } from '../../../../src/server/providers/embedders/client.ts';
import type { EmbedderDeps, EmbedderRecord, EmbedOptions } from '../../../../src/server/providers/embedders/types.ts';
import type { OpenAiStandInOptions } from '../../../support/stand-ins/openai.ts';
import { standInVector } from '../../../support/stand-ins/vector.ts';
import { newHttp, newStandIn } from './provider-http.fixture.ts';

export const DIMENSIONS = 12;

export function newDeps(extra: Partial<EmbedderDeps> = {}): EmbedderDeps {
  const builtin = () => Promise.reject(new Error('not the built-in one'));
  return { http: newHttp(), timeoutMs: 20_000, builtin, ...extra };
}

/** An OpenAI stand-in whose vectors have DIMENSIONS numbers. */
export const newOpenAi = (options: Partial<OpenAiStandInOptions> = {}) =>
  newStandIn({ dimensions: DIMENSIONS, ...options });

export function record(endpointUrl: string, extra: Partial<EmbedderRecord> = {}): EmbedderRecord {
  return {
    id: '01980000-0000-7000-8000-0000000000c1',
    providerType: 'OPENAI',
    endpointUrl,
    apiPath: '/embeddings',
    reach: 'any',
    modelIdentifier: 'text-small',
    dimensionality: DIMENSIONS,
    updatedAt: 1,
    ...extra,
  };
}

export async function openAiClient(options: Partial<OpenAiStandInOptions> = {}, extra: Partial<EmbedderRecord> = {}) {
  const standIn = await newOpenAi(options);
  return { standIn, client: createEmbedderClient(record(`${standIn.url}/v1`, extra), newDeps()) };
}

export const options = (extra: Partial<EmbedOptions> = {}): EmbedOptions => ({
  inputType: 'document',
  signal: new AbortController().signal,
  ...extra,
});

function unit(text: string): number[] {
  const vector = standInVector(text, DIMENSIONS);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

export function expectRows(rows: Float32Array[], texts: readonly string[]) {
  expect(rows).toHaveLength(texts.length);
  for (const [i, text] of texts.entries()) {
    expect(rows[i]).toBeInstanceOf(Float32Array);
    for (const [j, value] of unit(text).entries()) expect(rows[i]?.[j]).toBeCloseTo(value, 5);
  }
}

export const texts = (count: number) => Array.from({ length: count }, (_, i) => `text number ${i}`);
