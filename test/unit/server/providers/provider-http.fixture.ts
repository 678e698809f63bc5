import { expect, onTestFinished } from 'vitest';
import { ProviderError } from '../../../../src/server/providers/errors.ts';
import { createProviderHttp, type ProviderHttpOptions } from '../../../../src/server/providers/http.ts';
import type { ProviderRequest } from '../../../../src/server/providers/http-exchange.ts';
import { LOOPBACK_POLICY } from '../../../support/loopback-policy.ts';
import { OpenAiStandIn, type OpenAiStandInOptions } from '../../../support/stand-ins/openai.ts';

/** A client for calls to providers, which is closed with the test; it reaches loopback unless another policy is given. */
export function newHttp(options: Partial<ProviderHttpOptions> = {}) {
  const http = createProviderHttp({ policy: LOOPBACK_POLICY, ...options });
  onTestFinished(() => http.close());
  return http;
}

/** An OpenAI stand-in, which is closed with the test. */
export async function newStandIn(options: Partial<OpenAiStandInOptions> = {}) {
  const standIn = await OpenAiStandIn.start({ dimensions: 4, ...options });
  onTestFinished(() => standIn.close());
  return standIn;
}

export function request(url: string, extra: Partial<ProviderRequest> = {}): ProviderRequest {
  return {
    provider: 'OPENAI',
    url,
    reach: 'any',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ model: 'm', input: ['a'] })),
    signal: new AbortController().signal,
    timeoutMs: 20_000,
    maxResponseBytes: 100_000,
    ...extra,
  };
}

/** The ProviderError that the call must fail with. */
export async function failure(promise: Promise<unknown>): Promise<ProviderError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProviderError);
  return error as ProviderError;
}
