import { afterEach, expect } from 'vitest';
import { createEmbedderClient } from '../../../../src/server/providers/embedders/client.ts';
import type { EmbedderDeps, EmbedderRecord, EmbedOptions } from '../../../../src/server/providers/embedders/types.ts';
import { ProviderError } from '../../../../src/server/providers/errors.ts';
import { createProviderHttp } from '../../../../src/server/providers/http.ts';
import { LOOPBACK_POLICY } from '../../../support/loopback-policy.ts';
import { OpenAiStandIn, type OpenAiStandInOptions } from '../../../support/stand-ins/openai.ts';
import { standInVector } from '../../../support/stand-ins/vector.ts';

export const DIMENSIONS = 12;
const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

/** Runs the step when the test is over, the last one first. */
export function afterTest(step: () => Promise<unknown>): void {
  cleanup.push(step);
}

export function newDeps(extra: Partial<EmbedderDeps> = {}): EmbedderDeps {
  const http = createProviderHttp({ policy: LOOPBACK_POLICY });
  afterTest(() => http.close());
  const builtin = () => Promise.reject(new Error('not the built-in one'));
  return { http, timeoutMs: 20_000, builtin, ...extra };
}

export async function newOpenAi(options: Partial<OpenAiStandInOptions> = {}) {
  const standIn = await OpenAiStandIn.start({ dimensions: DIMENSIONS, ...options });
  afterTest(() => standIn.close());
  return standIn;
}

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

export async function failure(promise: Promise<unknown>): Promise<ProviderError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProviderError);
  return error as ProviderError;
}

export const texts = (count: number) => Array.from({ length: count }, (_, i) => `text number ${i}`);
