import { describe, expect, it } from 'vitest';
import { createTargetClients } from '../../../../../src/server/providers/clients.ts';
import { defaultRerankerApiPath } from '../../../../../src/server/providers/rerankers/protocols.ts';
import { RERANKER_PROVIDERS } from '../../../../../src/server/providers/rerankers/types.ts';
import { standInScore } from '../../../../support/stand-ins/rerankers.ts';
import { newDeps } from '../embedder-client.fixture.ts';
import { rerankerOf, rerankerRecord } from '../provider-clients.fixture.ts';
import { failure } from '../provider-http.fixture.ts';

const options = (extra: { signal?: AbortSignal; deadlineMs?: number } = {}) => ({
  signal: new AbortController().signal,
  ...extra,
});
const QUERY = 'when was the boiler serviced';
const TEXTS = ['The roof is new.', 'The boiler was serviced on 3 March.', 'A boiler stands in the cellar.'];
const SCORES = TEXTS.map((text) => standInScore(QUERY, text));

describe.each(RERANKER_PROVIDERS)('%s', (provider) => {
  it('scores in the order of the texts', async () => {
    const { client, standIn } = await rerankerOf(provider);
    expect(await client.rerank(QUERY, TEXTS, options())).toEqual(SCORES);
    const body = { model: 'rerank-base', query: QUERY, documents: TEXTS };
    expect(standIn.requests[0]?.body).toEqual(
      provider === 'TEI'
        ? { query: QUERY, texts: TEXTS, truncate: true }
        : provider === 'VOYAGE' || provider === 'JINA'
          ? { ...body, return_documents: false }
          : body,
    );
  });

  it('takes more texts than one call may hold', async () => {
    const { client, standIn } = await rerankerOf(provider);
    const many = Array.from({ length: 1001 }, (_, i) => (i % 3 === 0 ? `boiler ${i}` : `roof number ${i}`));
    expect(await client.rerank('boiler', many, options())).toEqual(many.map((text) => standInScore('boiler', text)));
    expect(standIn.requests.length).toBeGreaterThan(1);
    expect(standIn.maxInFlight).toBeLessThanOrEqual(4);
  });

  it('learns how many texts a server takes', async () => {
    const { client, standIn } = await rerankerOf(provider, {}, { maxTexts: 4 });
    const ten = Array.from({ length: 10 }, (_, i) => `boiler ${i}`);
    const scores = ten.map((text) => standInScore('boiler', text));
    expect(await client.rerank('boiler', ten, options())).toEqual(scores);
    const before = standIn.requests.length;
    expect(await client.rerank('boiler', ten, options())).toEqual(scores);
    expect(standIn.requests.length - before).toBe(4);
  });
});

describe('invalid answers', () => {
  const result = (index: unknown, relevance_score: unknown = 0.5) => ({ index, relevance_score });
  it.each([
    ['a repeated index', { results: [result(0), result(0)] }, 'index'],
    ['an index that is out of range', { results: [result(0), result(2)] }, 'index'],
    ['a negative index', { results: [result(0), result(-1)] }, 'index'],
    ['a fractional index', { results: [result(0), result(0.5)] }, 'index'],
    ['no index', { results: [result(0), { relevance_score: 1 }] }, 'index'],
    ['text as an index', { results: [result(0), result('1')] }, 'index'],
    ['one score too few', { results: [result(0)] }, '1 scores for 2 texts'],
    ['one score too many', { results: [result(0), result(1), result(2)] }, '3 scores for 2 texts'],
    ['no score', { results: [result(0), { index: 1 }] }, 'relevance_score'],
    ['a score that is null', { results: [result(0), result(1, null)] }, 'relevance_score'],
    ['another name for the list', { data: [result(0), result(1)] }, 'no list of results'],
    ['a value that is no object', { results: [result(0), 1] }, 'index'],
  ])('%s', async (_name, body, words) => {
    const { client, standIn } = await rerankerOf('COHERE');
    standIn.always({ kind: 'text', body: JSON.stringify(body) });
    const error = await failure(client.rerank('q', ['a', 'b'], options()));
    expect(error).toMatchObject({ reason: 'invalid_response', httpStatus: 200 });
    expect(error.message).toContain(words);
    expect(standIn.requests).toHaveLength(1);
  });

  it('an infinite score', async () => {
    const { client, standIn } = await rerankerOf('TEI');
    standIn.always({ kind: 'text', body: '[{"index":0,"score":1e999}]' });
    expect((await failure(client.rerank('q', ['a'], options()))).message).toContain('without a finite score');
  });
});

describe('around a rerank', () => {
  it('no call is made without texts', async () => {
    const { client, standIn } = await rerankerOf('TEI');
    expect(await client.rerank('q', [], options())).toEqual([]);
    expect(standIn.requests).toHaveLength(0);
  });

  it('a transient failure is retried once', async () => {
    const { client, standIn, events } = await rerankerOf('JINA');
    standIn.next({ kind: 'status', status: 503, headers: { 'retry-after': '0' } });
    expect(await client.rerank(QUERY, TEXTS, options())).toEqual(SCORES);
    expect(events.map(({ kind, provider, reason }) => [kind, provider, reason])).toEqual([
      ['reranker', 'JINA', 'unavailable'],
      ['reranker', 'JINA', undefined],
    ]);
  });

  it('a long Retry-After goes to the caller', async () => {
    const { client, standIn } = await rerankerOf('COHERE');
    standIn.always({ kind: 'status', status: 429, headers: { 'retry-after': '120' } });
    const error = await failure(client.rerank('q', ['a'], options()));
    expect(error).toMatchObject({ reason: 'rate_limited', retryAfterMs: 120_000, spent: false });
    expect(standIn.requests).toHaveLength(1);
  });

  it('the deadline and an abort end it, and close its connections', async () => {
    const { client, standIn } = await rerankerOf('VLLM');
    standIn.always({ kind: 'hang' });
    // Long enough for the request to arrive; what was never sent has no connection to end.
    const deadline = failure(client.rerank('q', ['a'], options({ deadlineMs: Date.now() + 1000 })));
    await standIn.received(1);
    expect((await deadline).reason).toBe('timeout');
    const controller = new AbortController();
    const running = client.rerank('q', ['a'], options({ signal: controller.signal }));
    await standIn.received(2);
    controller.abort(new Error('left'));
    await expect(running).rejects.toThrow('left');
    await standIn.left(2);
  });

  it('paths are those of the providers', () => {
    expect(RERANKER_PROVIDERS.map((provider) => [provider, defaultRerankerApiPath(provider)])).toEqual([
      ['VLLM', '/rerank'],
      ['TEI', '/rerank'],
      ['LLAMA_CPP', '/rerank'],
      ['VOYAGE', '/rerank'],
      ['COHERE', '/v2/rerank'],
      ['JINA', '/v1/rerank'],
    ]);
  });

  it('a client is shared until its record changes', () => {
    const clients = createTargetClients(newDeps());
    const first = clients.reranker(rerankerRecord('TEI', 'http://127.0.0.1:1'));
    expect(clients.reranker(rerankerRecord('TEI', 'http://127.0.0.1:1'))).toBe(first);
    const second = clients.reranker(rerankerRecord('TEI', 'http://127.0.0.1:2', { updatedAt: 2 }));
    expect(second.resolvedEndpoint).toBe('http://127.0.0.1:2/rerank');
  });
});
