import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { BUILT_IN_SYSTEM_PROMPT } from '../../../src/server/service/retrieval/chat-prompts.ts';
import { type ChatMessage, ChatStandIn } from '../../support/stand-ins/chat.ts';
import { RerankStandIn } from '../../support/stand-ins/rerankers.ts';
import { sql, UNKNOWN_ID } from '../identity.fixture.ts';
import { at, type RetrievalWorld, useRetrievalWorld } from './retrieval.fixture.ts';

const world = useRetrievalWorld();
let reranker: RerankStandIn;
let chat: ChatStandIn;
let rerankerId: string;
let llmId: string;
let spaceId: string;
let reply: (messages: readonly ChatMessage[]) => string = () => 'Yes [1].';
beforeAll(async () => {
  reranker = await RerankStandIn.start('COHERE');
  chat = await ChatStandIn.start({ reply: (messages) => reply(messages) });
  rerankerId = await world.reranker(reranker.endpointUrl);
  llmId = await world.llm(chat.endpointUrl);
  spaceId = await world.space([await world.embedder()], { publicRead: true });
  const days = [1, 2, 3];
  await world.add(
    spaceId,
    days.map((day) => ({
      chunks: [[at(day)], [at(day)]],
      createdAt: new Date(Date.UTC(2026, 0, day)),
      metadata: { room: { name: `r${day}` } },
    })),
  );
});
afterEach(() => {
  for (const standIn of [reranker, chat]) {
    standIn.always(undefined);
    standIn.requests.length = 0;
  }
  world.observed.length = 0;
  reply = () => 'Yes [1].';
});
afterAll(async () => {
  await reranker.close();
  await chat.close();
});

type Events = Awaited<ReturnType<RetrievalWorld['retrieve']>>;
type More = Parameters<RetrievalWorld['retrieve']>[1];

const ask = (config: object, request: object = {}, more: More = {}) =>
  world.retrieve(
    {
      message: 'chunk 1',
      spaceKeys: [{ spaceId }],
      fetchMemory: false,
      postProcessor: { config: config as Record<string, never> },
      ...request,
    },
    { timeoutMs: 5000, ...more },
  );
const codes = (events: Events) => events.flatMap(({ status }) => (status ? [status.code] : []));
const scores = (events: Events) => events.flatMap(({ retrievedItem }) => retrievedItem?.relevanceScore ?? []);
const stage = (events: Events) => events.find((event) => event.resultSetBoundary).resultSetBoundary.stageName;
const lastStatus = (events: Events) => events.findLast((event) => event.status).status;
const asked = () => chat.requests[0]?.body as { messages: ChatMessage[] } & Record<string, unknown>;

describe('statuses before the results, in this order', () => {
  test('the feature, settings, templates, the reranker, the LLM', async () => {
    const broken = { nonsense: 1, prompt: '{{ userQuery }}', sys_prompt: '{% if %}' };
    const events = await ask({ ...broken, reranker_id: UNKNOWN_ID });
    const said = ['FEATURE_DISABLED', 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'INVALID_ARGUMENT'];
    expect(codes(events)).toEqual([...said, 'NOT_FOUND', 'RERANKING_FAILED']);
    expect(events.slice(1, 4).map(({ status }) => status.details.param)).toEqual(['nonsense', 'sys_prompt', 'prompt']);
    expect(events[5].status.details).toEqual({ reranker_id: UNKNOWN_ID, reason: 'not found' });
    expect(stage(events)).toBe('vector_search');
  });

  test('those of another user are denied, and the results are served', async () => {
    const events = await ask({ reranker_id: rerankerId, llm_id: llmId }, {}, { caller: world.bob });
    expect(codes(events)).toEqual(['PERMISSION_DENIED', 'RERANKING_FAILED', 'PERMISSION_DENIED']);
    expect(events[2].status.details).toEqual({ llm_id: llmId });
    expect(scores(events)).toHaveLength(6);
    expect([...reranker.requests, ...chat.requests]).toEqual([]);
  });

  test('an LLM that cannot chat', async () => {
    const id = await world.llm(chat.endpointUrl, { capabilities: { supportsChat: false } });
    const events = await ask({ llm_id: id });
    expect(codes(events)).toEqual(['FAILED_PRECONDITION']);
    expect(events[0].status.details).toEqual({ llm_id: id });
    expect(Object.keys(events.at(-1))).toEqual(['resultSetBoundary']);
  });
});

describe('reranking', () => {
  test('gets the texts of 50 candidates or the requested number, and its scores replace those of the search', async () => {
    const events = await ask({ reranker_id: rerankerId, max_results: 2, relevance_threshold: 0.9 });
    expect(stage(events)).toBe('rerank');
    expect(reranker.requests[0]?.body).toMatchObject({ query: 'chunk 1' });
    expect(reranker.requests[0]?.body.documents).toHaveLength(6);
    expect(scores(events)).toHaveLength(2);
    expect(Math.min(...scores(events))).toBeGreaterThan(0.9);
    await ask({ reranker_id: rerankerId, max_results: 2 }, { requestedSize: 3 });
    expect(reranker.requests[1]?.body.documents).toHaveLength(3);
    expect(world.observed.filter((line) => line.startsWith('rerank'))).toEqual(['rerank ok', 'rerank ok']);

    const large = await world.space([await world.embedder()]);
    await world.add(large, [{ chunks: Array.from({ length: 70 }, (_, degrees) => [at(degrees)]) }]);
    const spaceKeys = [{ spaceId: large }];
    reranker.requests.length = 0;
    for (const max_results of [2, 60]) await ask({ reranker_id: rerankerId, max_results }, { spaceKeys });
    await ask({ reranker_id: rerankerId, max_results: 2 }, { spaceKeys, requestedSize: 65 });
    expect(reranker.requests.map(({ body }) => (body.documents as string[]).length)).toEqual([50, 60, 65]);
  });

  test('a score equal to the threshold is enough', async () => {
    const [best = 0] = scores(await ask({ reranker_id: rerankerId }));
    expect(scores(await ask({ reranker_id: rerankerId, relevance_threshold: best }))).toEqual([best, best, best]);
    expect(scores(await ask({ reranker_id: rerankerId, relevance_threshold: best + 1e-9 }))).toEqual([]);
  });

  test('no results: neither the reranker nor the LLM is called', async () => {
    const spaceKeys = [{ spaceId: await world.space([await world.embedder()]) }];
    const events = await ask({ reranker_id: rerankerId, llm_id: llmId }, { spaceKeys });
    expect(events.map((event) => event.resultSetBoundary?.kind)).toEqual(['BEGIN', 'END']);
    expect([...reranker.requests, ...chat.requests]).toEqual([]);
  });

  test.each([
    ['401', { kind: 'status', status: 401 }, ['CONFIGURATION_ERROR'], 'configuration'],
    ['429', { kind: 'status', status: 429, headers: { 'retry-after': '30' } }, ['RATE_LIMITED'], 'rate_limited'],
    ['402', { kind: 'status', status: 402 }, ['RESOURCE_EXHAUSTED'], 'rate_limited'],
    ['too few scores', { kind: 'too_few' }, [], 'invalid_response'],
    ['invalid scores', { kind: 'values', value: 'high' }, [], 'invalid_response'],
  ] as const)('%s: the order of the search, without the threshold', async (_name, behavior, causes, reason) => {
    reranker.always(behavior);
    const events = await ask({ reranker_id: rerankerId, relevance_threshold: 0.9 });
    expect(codes(events)).toEqual(['FEATURE_DISABLED', ...causes, 'RERANKING_FAILED']);
    expect(lastStatus(events).details).toEqual({ reranker_id: rerankerId, reason });
    expect(stage(events)).toBe('vector_search');
    expect(scores(events)).toHaveLength(6);
  });
});

describe('summaries', () => {
  test('the built-in prompts hold the question, the conversation and the data', async () => {
    const png = { contentType: 'image/png', data: new Uint8Array(1234) };
    const events = await ask(
      { llm_id: llmId, max_results: 1 },
      { context: [{ item: { case: 'text', value: 'Hi.' } }, { item: { case: 'binary', value: png } }] },
    );
    expect(events.at(-1).abstractReply).toMatchObject({ text: 'Yes [1].', relevanceScore: 0 });
    const [system, user] = asked().messages;
    expect(system).toEqual({ role: 'system', content: BUILT_IN_SYSTEM_PROMPT });
    expect(user?.content).toMatch(
      /^Earlier in this conversation:\n- Hi\.\n- \[binary image\/png, 1234 bytes\]\nQuestion: chunk 1\n\nRetrieved data, most recent to oldest:\n\n\[1\] \(\d+ \w+ ago, 2026-01-0\dT00:00:00Z\)\nchunk \d\s*$/,
    );
    expect(asked()).toMatchObject({ temperature: 0.3, max_tokens: 512 });
    expect(chat.requests).toHaveLength(1);
    expect(world.standIn.requests.at(-1)?.body.input).toEqual(['chunk 1']);
  });

  test('templates of the caller see every field of the results', async () => {
    const prompt =
      '{{ userQuery }}/{{ dataSection | length > 9 }}{% for r in results %}|{{ r.index }} {{ r.score > 0 }} {{ r.chunkText }} ' +
      '{{ r.chunkSequenceNumber }} {{ r.memoryMetadata.room.name }} {{ r.memoryCreatedAt | date("yyyy-MM-dd") }} ' +
      '{{ r.memoryId }} {{ r.chunkId }} {{ r.chunkTimestamp }} {{ r.relativeTimeDescription }}{% endfor %}' +
      '{% for turn in context %};{{ turn }}{% endfor %}';
    const events = await ask(
      {
        llm_id: llmId,
        reranker_id: rerankerId,
        max_results: 2,
        prompt,
        sys_prompt: 'Be {{ "BRIEF" | lower }}.',
      },
      { context: ['Hi.', 'Hello.'].map((value) => ({ item: { case: 'text' as const, value } })) },
    );
    const [system, user] = asked().messages;
    expect(system?.content).toBe('Be brief.');
    const chunks = events.flatMap(({ retrievedItem }) => (retrievedItem ? [retrievedItem.chunk] : []));
    const items = chunks.map(({ memoryId, chunkId, createdAt }, index) => {
      const time = new Date(createdAt).toISOString().replace(/\.000Z$/, 'Z');
      return `\\|${index + 1} true chunk 1 1 r\\d 2026-01-0\\d ${memoryId} ${chunkId} ${time} \\d+ \\w+ ago`;
    });
    expect(items).toHaveLength(2);
    expect(user?.content).toMatch(new RegExp(`^chunk 1/true${items.join('')};Hi\\.;Hello\\.$`));
  });

  test.each([
    ['the config beats the request', { gen_token_budget: 7 }, { outputBudget: { tokens: 9 } }, 7],
    ['the request beats 512', {}, { outputBudget: { tokens: 9 } }, 9],
  ])('token budget: %s', async (_name, config, request, tokens) => {
    await ask({ llm_id: llmId, llm_temp: 1.5, ...config }, request);
    expect(asked()).toMatchObject({ max_tokens: tokens, temperature: 1.5 });
  });

  test("the record's sampling values supply the rest, and its capabilities count", async () => {
    const defaultSamplingParams = { topP: 0.5, maxTokens: 3, temperature: 2, stopSequences: ['###'] };
    await ask({ llm_id: await world.llm(chat.endpointUrl, { defaultSamplingParams }) });
    expect(asked()).toMatchObject({ top_p: 0.5, stop: ['###'], max_tokens: 512, temperature: 0.3 });
    chat.requests.length = 0;
    const capabilities = { supportsChat: true, supportsSystemMessages: false, supportsSamplingParameters: false };
    await ask({ llm_id: await world.llm(chat.endpointUrl, { capabilities }) });
    expect(asked().messages).toHaveLength(1);
    expect(asked().messages[0]?.content.startsWith(BUILT_IN_SYSTEM_PROMPT.trim())).toBe(true);
    expect(asked()).not.toHaveProperty('temperature');
  });

  test('a summary that is wanted in pieces comes in pieces, and then as a whole', async () => {
    const text = 'The roof\n\nwas mended on Monday [1].';
    reply = () => text;
    let goOn = () => {};
    chat.next({ kind: 'pause', until: new Promise<void>((resolve) => (goOn = resolve)) });
    const onEvent = (event: Events[number]) => {
      // The model goes on only when its first words have been sent.
      if (event.abstractDelta) goOn();
    };
    const events = await ask({ llm_id: llmId }, { streamSummary: true }, { onEvent });
    const end = events.findIndex((event) => event.resultSetBoundary?.kind === 'END');
    const after = events.slice(end + 1);
    const pieces = after.flatMap(({ abstractDelta }) => (abstractDelta ? [abstractDelta] : []));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    expect(new Set(pieces.map(({ resultSetId }) => resultSetId))).toEqual(
      new Set([events[end].resultSetBoundary.resultSetId]),
    );
    expect(after.slice(pieces.length)).toEqual([{ abstractReply: expect.objectContaining({ text }) }]);
    expect((await ask({ llm_id: llmId })).some((event) => event.abstractDelta)).toBe(false);
  });

  test('pieces of a summary that fails are followed by the status', async () => {
    reply = () => 'one two three';
    const events = await ask({ llm_id: llmId, gen_token_budget: 2 }, { streamSummary: true });
    expect(events.filter((event) => event.abstractDelta).length).toBeGreaterThan(0);
    expect(events.at(-1)?.status).toMatchObject({ code: 'SUMMARIZATION_FAILED', details: { reason: 'token budget' } });
  });

  test.each([
    ['a reply that hits its budget', 'one two three', undefined, ['SUMMARIZATION_FAILED'], 'token budget'],
    ['an empty reply', ' ', undefined, ['SUMMARIZATION_FAILED'], 'empty reply'],
    ['401', '', { kind: 'status', status: 401 }, ['CONFIGURATION_ERROR', 'SUMMARIZATION_FAILED'], 'configuration'],
    ['402', '', { kind: 'status', status: 402 }, ['RESOURCE_EXHAUSTED', 'SUMMARIZATION_FAILED'], 'rate_limited'],
    ['408', '', { kind: 'status', status: 408 }, ['SUMMARIZATION_TIMEOUT'], 'timeout'],
    ['a reply that ends early', 'a b c d', { kind: 'truncate' }, ['SUMMARIZATION_FAILED'], 'invalid_response'],
  ] as const)('%s: a status after END in its place', async (_name, text, behavior, said, reason) => {
    reply = () => text;
    chat.always(behavior);
    const events = await ask({ llm_id: llmId, gen_token_budget: 2 });
    const end = events.findIndex((event) => event.resultSetBoundary?.kind === 'END');
    expect(codes(events.slice(end))).toEqual(said);
    expect(codes(events.slice(0, end))).toEqual([]);
    expect(lastStatus(events).details).toEqual({ llm_id: llmId, reason });
    expect(JSON.stringify(events)).not.toContain('abstractReply');
    expect(world.observed).toContain('summarize failed');
  });

  test('a template that fails when it is rendered', async () => {
    const prompt = '{{ userQuery }}{{ dataSection }}{% for i in 1..999999999 %}{{ i }}{% endfor %}';
    const events = await ask({ llm_id: llmId, prompt });
    expect(codes(events)).toEqual(['SUMMARIZATION_FAILED']);
    expect(lastStatus(events).details).toEqual({ llm_id: llmId, reason: 'prompt template' });
    expect(chat.requests).toEqual([]);
  });

  test('explain comes after the reply, and tells the time of every stage', async () => {
    const events = await ask({ llm_id: llmId, reranker_id: rerankerId }, { explain: true });
    expect(events.slice(-2).map((event) => Object.keys(event).join())).toEqual(['abstractReply', 'status']);
    const { details } = lastStatus(events);
    for (const name of ['embedMs', 'searchMs', 'loadMs', 'rerankMs', 'summarizeMs']) {
      expect(Number(details[name])).toBeGreaterThan(0);
    }
    expect(world.observed).toContain('summarize ok');
  });
});

describe('concurrent changes', () => {
  /** Runs a change while the reranker is asked, after the search and before the results are loaded. */
  async function meanwhile(
    change: () => Promise<unknown>,
    { fetchMemory = true, ...more }: More & { fetchMemory?: boolean } = {},
  ): Promise<Events> {
    const before = reranker.requests.length;
    let release = () => {};
    reranker.next({
      kind: 'held',
      until: new Promise<void>((resolve) => {
        release = resolve;
      }),
    });
    const admin = await world.reranker(reranker.endpointUrl);
    await sql(world.db, 'update reranker set owner_id = $2 where reranker_id = $1', [admin, world.root.userId]);
    const events = ask(
      { reranker_id: admin },
      { fetchMemory, message: 'chunk 0', spaceKeys: [{ spaceId: own }] },
      more,
    );
    await reranker.received(before + 1);
    await change();
    release();
    return await events;
  }
  let own: string;
  let ids: string[];
  const fresh = async (more: object = {}) => {
    own = await world.space([await world.embedder()], more);
    ids = await world.add(own, [{ chunks: [[at(1)]] }, { chunks: [[at(2)]] }]);
  };

  test('a memory is deleted: MEMORY_LOAD_FAILED, and the rest is served', async () => {
    await fresh();
    const events = await meanwhile(() => sql(world.db, 'delete from memory where memory_id = $1', [ids[0]]));
    expect(codes(events)).toEqual(['FEATURE_DISABLED', 'MEMORY_LOAD_FAILED']);
    expect(lastStatus(events).details).toEqual({ memory_id: ids[0] });
    expect(scores(events)).toHaveLength(1);
  });

  test('the space is deleted: SPACE_NOT_FOUND', async () => {
    await fresh();
    const events = await meanwhile(() => world.call('deleteSpace', { spaceId: own }, world.ada));
    expect(codes(events)).toEqual(['FEATURE_DISABLED', 'SPACE_NOT_FOUND']);
    expect(lastStatus(events).details).toEqual({ space_id: own });
    expect(scores(events)).toEqual([]);
  });

  test('the space is deleted before it is searched: SPACE_NOT_FOUND', async () => {
    await fresh();
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const before = world.standIn.requests.length;
    world.standIn.next({ kind: 'held', until });
    const events = ask({}, { spaceKeys: [{ spaceId: own }, { spaceId }] });
    await world.standIn.received(before + 1);
    await world.call('deleteSpace', { spaceId: own }, world.ada);
    release();
    expect(codes(await events)).toEqual(['FEATURE_DISABLED', 'SPACE_NOT_FOUND']);
    expect(scores(await events)).toHaveLength(6);
  });

  test.each([true, false])('the space is closed: SPACE_INACCESSIBLE, with fetchMemory %s', async (fetchMemory) => {
    await fresh({ publicRead: true });
    const close = () => world.call('updateSpace', { spaceId: own, publicRead: false }, world.ada);
    const events = await meanwhile(close, { caller: world.bob, fetchMemory });
    expect(codes(events)).toEqual(['FEATURE_DISABLED', 'SPACE_INACCESSIBLE']);
    expect(scores(events)).toEqual([]);
  });
});
