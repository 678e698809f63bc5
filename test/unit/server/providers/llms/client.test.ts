import { describe, expect, it } from 'vitest';
import { createTargetClients } from '../../../../../src/server/providers/clients.ts';
import type { ChatRequest, LlmRecord } from '../../../../../src/server/providers/llms/types.ts';
import { newDeps } from '../embedder-client.fixture.ts';
import { ALL_CAPABILITIES, llmOf, llmRecord } from '../provider-clients.fixture.ts';

const options = (extra: { signal?: AbortSignal; deadlineMs?: number } = {}) => ({
  signal: new AbortController().signal,
  ...extra,
});
const REQUEST: ChatRequest = {
  system: 'Be brief.',
  user: 'When was the boiler serviced?',
  sampling: { maxTokens: 512, temperature: 0.3 },
};
const WHOLE = { capabilities: { ...ALL_CAPABILITIES, supportsStreaming: false } };

/** The body that a record and a request make. */
async function bodyOf(extra: Partial<LlmRecord>, request: Partial<ChatRequest> = {}) {
  const { standIn, client } = await llmOf(extra);
  await client.complete({ ...REQUEST, ...request }, options());
  return standIn.requests[0]?.body;
}

describe('a reply', () => {
  it.each([
    ['streamed', {}],
    ['in one piece', WHOLE],
  ])('comes %s', async (_name, extra) => {
    const { standIn, client } = await llmOf(extra, { reply: () => 'On 3 March, käse 🎉.' });
    expect(await client.complete(REQUEST, options())).toEqual({ text: 'On 3 March, käse 🎉.', finish: 'stop' });
    expect(standIn.requests[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(standIn.requests[0]?.body.stream).toBe(extra !== WHOLE);
  });

  it.each([
    ['streamed', {}],
    ['in one piece', WHOLE],
  ])('that runs into its limit says so, %s', async (_name, extra) => {
    const { client } = await llmOf(extra, { reply: () => 'one two three' });
    const request = { ...REQUEST, sampling: { maxTokens: 2 } };
    expect(await client.complete(request, options())).toEqual({ text: 'one two', finish: 'length' });
  });

  it('in one piece is understood from a server that was asked for a stream', async () => {
    const { standIn, client } = await llmOf();
    const body = JSON.stringify({ choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }] });
    standIn.always({ kind: 'text', body });
    expect(await client.complete(REQUEST, options())).toEqual({ text: 'Hello', finish: 'stop' });
  });

  it.each([
    ['content that was cut by a content filter', { content: 'a' }, 'content_filter', { text: 'a', finish: 'other' }],
    ['no content', { content: null }, 'stop', { text: '', finish: 'stop' }],
    [
      'content in parts',
      { content: [{ text: 'a' }, { type: 'x' }, { text: 'b' }] },
      null,
      { text: 'ab', finish: 'stop' },
    ],
  ])('may have %s', async (_name, message, finish_reason, reply) => {
    const { standIn, client } = await llmOf(WHOLE);
    standIn.always({ kind: 'text', body: JSON.stringify({ choices: [{ message, finish_reason }] }) });
    expect(await client.complete(REQUEST, options())).toEqual(reply);
  });

  it('whose budget was spent before its first word is cut off, and no failure', async () => {
    const { standIn, client } = await llmOf(WHOLE);
    const message = 'Could not finish the message because max_tokens or model output limit was reached.';
    standIn.always({ kind: 'status', status: 400, body: JSON.stringify({ error: { message } }) });
    expect(await client.complete(REQUEST, options())).toEqual({ text: '', finish: 'length' });
  });
});

describe('the body', () => {
  it('holds the messages and the parameters of the request', async () => {
    expect(await bodyOf({})).toEqual({
      model: 'chat-8b',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'When was the boiler serviced?' },
      ],
      temperature: 0.3,
      max_tokens: 512,
      stream: true,
    });
  });

  it('puts the system prompt before the user prompt where there are no system messages', async () => {
    const capabilities = { ...ALL_CAPABILITIES, supportsSystemMessages: false };
    expect((await bodyOf({ capabilities }))?.messages).toEqual([
      { role: 'user', content: 'Be brief.\n\nWhen was the boiler serviced?' },
    ]);
    expect((await bodyOf({}, { system: '' }))?.messages).toEqual([
      { role: 'user', content: 'When was the boiler serviced?' },
    ]);
  });

  const defaultSamplingParams = {
    maxTokens: 9,
    temperature: 2,
    topP: 0.9,
    topK: 40,
    frequencyPenalty: 0.5,
    presencePenalty: -0.5,
    stopSequences: ['###'],
  };
  const known = { top_p: 0.9, top_k: 40, frequency_penalty: 0.5, presence_penalty: -0.5, stop: ['###'] };

  it("takes all but the limit and the temperature from the record's defaults", async () => {
    expect(await bodyOf({ defaultSamplingParams })).toMatchObject({ ...known, temperature: 0.3, max_tokens: 512 });
    const bare = await bodyOf({ defaultSamplingParams }, { sampling: { topP: 0.1 } });
    expect(bare).toMatchObject({ ...known, top_p: 0.1 });
    expect(bare).not.toHaveProperty('temperature');
    expect(bare).not.toHaveProperty('max_tokens');
  });

  it('holds no sampling values for a model that takes none, but the limit', async () => {
    const capabilities = { ...ALL_CAPABILITIES, supportsSamplingParameters: false };
    const body = await bodyOf({ capabilities, defaultSamplingParams });
    expect(Object.keys(body ?? {}).sort()).toEqual(['max_tokens', 'messages', 'model', 'stream']);
  });

  it('takes what clientConfig adds, but neither its model, messages and stream nor its limit', async () => {
    const clientConfig = { seed: 7, temperature: 1, model: 'x', messages: [], stream: false, max_tokens: 1, user: 'u' };
    const body = await bodyOf({ clientConfig });
    expect(body).toMatchObject({ seed: 7, user: 'u', temperature: 1, model: 'chat-8b', stream: true, max_tokens: 512 });
    expect(body?.messages).toHaveLength(2);
    expect(await bodyOf({ clientConfig }, { sampling: {} })).toMatchObject({ max_tokens: 1 });
  });

  it.each([
    ['OPENAI', 'o3-mini', 'max_completion_tokens'],
    ['OPENAI', 'gpt-5', 'max_completion_tokens'],
    ['OPENAI', 'gpt-4o', 'max_tokens'],
    ['OPEN_ROUTER', 'openai/gpt-5', 'max_tokens'],
    ['VLLM', 'o1', 'max_tokens'],
  ] as const)('of %s %s names its limit %s', async (providerType, modelIdentifier, member) => {
    const body = await bodyOf({ providerType, modelIdentifier });
    expect(Object.keys(body ?? {}).filter((name) => name.includes('tokens'))).toEqual([member]);
  });

  it.each([
    ['another name of the limit', {}, ['max_tokens'], { max_completion_tokens: 512 }],
    ['the old name', { providerType: 'OPENAI', modelIdentifier: 'o1' }, ['max_completion_tokens'], { max_tokens: 512 }],
    ['no top_k', { defaultSamplingParams: { topK: 4 } }, ['top_k'], { max_tokens: 512 }],
    ['both', { defaultSamplingParams: { topK: 4 } }, ['top_k', 'max_tokens'], { max_completion_tokens: 512 }],
  ] as const)('is corrected once for a server that wants %s', async (_name, extra, refused, members) => {
    const { standIn, client } = await llmOf(extra, { refused });
    await client.complete(REQUEST, options());
    const tries = standIn.requests.length;
    expect(tries).toBe(1 + refused.length);
    await client.complete(REQUEST, options());
    expect(standIn.requests).toHaveLength(tries + 1);
    expect(standIn.requests.at(-1)?.body).toMatchObject(members);
    for (const name of refused) expect(standIn.requests.at(-1)?.body).not.toHaveProperty(name);
  });
});

describe('around a reply', () => {
  it('an abort of the caller cancels the call to the provider at once', async () => {
    const { standIn, client } = await llmOf();
    standIn.always({ kind: 'stall' });
    const controller = new AbortController();
    const running = client.complete(REQUEST, options({ signal: controller.signal }));
    await standIn.received(1);
    controller.abort(new Error('left'));
    await expect(running).rejects.toThrow('left');
    await standIn.left(1);
  });

  it('a transient failure is retried once', async () => {
    const { standIn, client, events } = await llmOf();
    standIn.next({ kind: 'status', status: 503, headers: { 'retry-after': '0' } });
    expect((await client.complete(REQUEST, options())).finish).toBe('stop');
    expect(events.map(({ kind, provider, reason }) => [kind, provider, reason])).toEqual([
      ['llm', 'VLLM', 'unavailable'],
      ['llm', 'VLLM', undefined],
    ]);
  });

  it('an exhausted quota is distinguished from a rate limit, and not retried', async () => {
    const { standIn, client } = await llmOf();
    const error = { message: 'You exceeded your current quota.', code: 'insufficient_quota' };
    standIn.always({ kind: 'status', status: 429, body: JSON.stringify({ error }) });
    await expect(client.complete(REQUEST, options())).rejects.toMatchObject({ reason: 'rate_limited', spent: true });
    expect(standIn.requests).toHaveLength(1);
  });

  it('a probe requests one token without streaming', async () => {
    const { standIn, client } = await llmOf({ defaultSamplingParams: { maxTokens: 99 } });
    expect(await client.probe('ping', { ...options(), timeoutMs: 20_000 })).toMatchObject({
      ok: true,
      httpStatus: 200,
    });
    expect(standIn.requests[0]?.body).toEqual({
      model: 'chat-8b',
      messages: [{ role: 'user', content: 'ping' }],
      max_tokens: 1,
      stream: false,
    });
  });

  it('a client is shared until its record changes', () => {
    const clients = createTargetClients(newDeps());
    const first = clients.llm(llmRecord('http://127.0.0.1:1'));
    expect(clients.llm(llmRecord('http://127.0.0.1:1'))).toBe(first);
    expect(clients.llm(llmRecord('http://127.0.0.1:1', { updatedAt: 2 }))).not.toBe(first);
  });
});
