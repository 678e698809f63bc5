import { describe, expect, it } from 'vitest';
import type { ProviderErrorReason } from '../../../../src/server/providers/errors.ts';
import type { ProviderCallEvent } from '../../../../src/server/providers/observer.ts';
import type { ProbeOptions, ProbeOutcome } from '../../../../src/server/providers/target.ts';
import type { Behavior } from '../../../support/stand-ins/behavior.ts';
import type { ProviderStandIn } from '../../../support/stand-ins/server.ts';
import { embedderOf, llmOf, rerankerOf } from './provider-clients.fixture.ts';

interface Target {
  standIn: ProviderStandIn;
  events: ProviderCallEvent[];
  client: { probe(payload: string, options: ProbeOptions): Promise<ProbeOutcome> };
}

const SECRET = 'Bearer zz-topsecret-0123456789';
const credentials = { credentials: async () => ({ Authorization: SECRET }) };
const LLM_PROVIDERS = ['OPENAI', 'LITELLM_PROXY', 'OPEN_ROUTER', 'OLLAMA', 'CUSTOM_OPENAI_COMPATIBLE'] as const;

const TARGETS: readonly [string, () => Promise<Target>][] = [
  ...(['OPENAI', 'VOYAGE', 'JINA', 'TEI', 'COHERE', 'OLLAMA', 'GEMINI'] as const).map(
    (provider) =>
      [`the ${provider} embedder`, () => embedderOf(provider, credentials)] as [string, () => Promise<Target>],
  ),
  ...(['VLLM', 'TEI', 'LLAMA_CPP', 'VOYAGE', 'COHERE', 'JINA'] as const).map(
    (provider) =>
      [`the ${provider} reranker`, () => rerankerOf(provider, credentials)] as [string, () => Promise<Target>],
  ),
  ...LLM_PROVIDERS.map(
    (providerType) =>
      [`the ${providerType} LLM`, () => llmOf({ providerType, ...credentials })] as [string, () => Promise<Target>],
  ),
];

const leak = (status: number): Behavior => ({
  kind: 'status',
  status,
  body: JSON.stringify({ error: { message: `no access for ${SECRET}` }, detail: SECRET }),
});

/** Whatever a provider does, the reason in which it ends; undefined for success. */
const BEHAVIORS: readonly [string, Behavior, ProviderErrorReason | undefined, number | undefined][] = [
  ['answers late', { kind: 'slow', ms: 5 }, undefined, 200],
  ['never answers', { kind: 'hang' }, 'timeout', undefined],
  ['stops in the middle', { kind: 'stall' }, 'timeout', undefined],
  ['breaks the connection', { kind: 'drop' }, 'unavailable', undefined],
  ['breaks off in the middle', { kind: 'truncate' }, 'invalid_response', undefined],
  ['is limited', { kind: 'status', status: 429, headers: { 'retry-after': '7' } }, 'rate_limited', 429],
  ['wants money', { kind: 'status', status: 402 }, 'rate_limited', 402],
  ['is broken', { kind: 'status', status: 500 }, 'server_error', 500],
  ['is starting', { kind: 'status', status: 503 }, 'unavailable', 503],
  ['refuses the key', leak(401), 'configuration', 401],
  ['refuses the request', leak(400), 'rejected', 400],
  ['has moved', { kind: 'status', status: 308 }, 'configuration', 308],
  ['answers in HTML', { kind: 'text', body: '<html></html>' }, 'invalid_response', 200],
  ['answers with an array', { kind: 'text', body: '[1]' }, 'invalid_response', 200],
  ['answers with an empty object', { kind: 'text', body: '{}' }, 'invalid_response', 200],
  ['leaves out a result', { kind: 'too_few' }, 'invalid_response', 200],
  ['answers with text for numbers and numbers for text', { kind: 'values', value: { no: 1 } }, 'invalid_response', 200],
];

describe.each(TARGETS)('%s', (_provider, start) => {
  it('answers a probe', async () => {
    const { client } = await start();
    const outcome = await client.probe('ping', { signal: new AbortController().signal, timeoutMs: 20_000 });
    expect(outcome).toMatchObject({ ok: true, httpStatus: 200 });
    expect(outcome.bytesSent).toBeGreaterThan(0);
    expect(outcome.bytesReceived).toBeGreaterThan(0);
  });

  it('fails with the reason of the behavior, without the secret', async () => {
    const { standIn, client, events } = await start();
    for (const [name, behavior, reason, httpStatus] of BEHAVIORS) {
      standIn.always(behavior);
      const waits = behavior.kind === 'hang' || behavior.kind === 'stall';
      const timeoutMs = waits ? 30 : 20_000;
      const outcome = await client.probe('ping', { signal: new AbortController().signal, timeoutMs });
      expect.soft(events.at(-1)?.reason, name).toBe(reason);
      expect.soft(outcome.httpStatus, name).toBe(httpStatus);
      expect.soft(outcome.timedOut, name).toBe(reason === 'timeout');
      expect.soft(outcome.errorMessage ?? '', name).not.toContain('topsecret');
    }
    expect(events).toHaveLength(BEHAVIORS.length);
    expect(standIn.requests.every(({ headers }) => headers.authorization === SECRET)).toBe(true);
  });

  it('quotes the message of the provider', async () => {
    const { standIn, client } = await start();
    standIn.always({ kind: 'status', status: 422 });
    const outcome = await client.probe('ping', { signal: new AbortController().signal, timeoutMs: 20_000 });
    expect(outcome.errorMessage).toMatch(/answered 422: "[\w ]+ says 422"$/);
  });
});
