import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Input, Output, PostProcessor, Tools } from '../../src/server/service/post-processors/types.ts';
import { ChatStandIn } from '../support/stand-ins/chat.ts';
import { RerankStandIn } from '../support/stand-ins/rerankers.ts';
import { failure } from './identity-fixture.ts';
import { at, createRetrievalWorld, type RetrievalWorld } from './retrieval-fixture.ts';

let world: RetrievalWorld;
let spaceId: string;
/** The stream of the search alone, in short. */
let searched: string[];
beforeAll(async () => {
  world = await createRetrievalWorld();
  spaceId = await world.space([await world.embedder()]);
  await world.add(
    spaceId,
    [1, 2, 3].map((day) => ({ chunks: [[at(day)]], createdAt: new Date(Date.UTC(2026, 0, day)), metadata: { day } })),
  );
  searched = short(await world.retrieve({ message: 'boiler', spaceKeys: [{ spaceId }] }));
});
afterAll(() => world.end());

type Process = (input: Input, tools: Tools, config: unknown) => AsyncIterable<Output>;

/** Asks with a post processor that is this. */
async function ask(process: Process, more: object = {}, fields: Partial<PostProcessor> = {}) {
  const name = randomUUID();
  world.postProcessors.set(name, {
    name,
    create: (config, tools) => ({ ...fields, process: (input) => process(input, tools, config) }),
  });
  const request = { message: 'boiler', spaceKeys: [{ spaceId }], postProcessor: { name, config: { a: [1] } }, ...more };
  return { name, events: await world.retrieve(request, { timeoutMs: 150 }) };
}

type Events = Awaited<ReturnType<RetrievalWorld['retrieve']>>;

/** With the score when it is a post processor's own, which are whole numbers here. */
function itemText({ chunk, relevanceScore }: { chunk?: object; relevanceScore: number }): string {
  return `${chunk ? 'chunk' : 'whole'} ${Number.isInteger(relevanceScore) ? relevanceScore : ''}`.trim();
}

function short(events: Events): string[] {
  return events.map((event) => {
    const { resultSetBoundary: boundary, retrievedItem, memoryDefinition, abstractReply, status } = event;
    if (status) return `${status.code} ${status.details.reason ?? ''}`.trim();
    if (memoryDefinition) return `memory ${memoryDefinition.metadata.day}`;
    if (abstractReply) return `reply ${abstractReply.text}`;
    if (retrievedItem) return itemText(retrievedItem);
    return boundary.kind === 'BEGIN' ? `BEGIN ${boundary.stageName} ${boundary.expectedItems}` : 'END';
  });
}

describe('what a post processor gives is sent', () => {
  test('statuses, items in its order with its scores, whole memories, and the abstract behind them', async () => {
    let seen: Input | undefined;
    const { events } = await ask(
      async function* (input) {
        seen = input;
        yield { abstract: { text: 'so it is' } };
        const [first, , third] = input.items.toSorted((a, b) => (a.memory.createdAt ?? 0) - (b.memory.createdAt ?? 0));
        if (first === undefined || third === undefined) return;
        yield { item: { ...third, score: 7 } };
        yield { status: { code: 'MY_OWN', details: { reason: 'because' } } };
        yield { item: { memory: first.memory, score: -1 } };
      },
      { context: [{ item: { case: 'text', value: 'hello' } }], neighbors: 1 },
    );
    const memories = ['memory 3', 'chunk 7', 'memory 1', 'whole -1'];
    expect(short(events)).toEqual(['MY_OWN because', 'BEGIN vector_search 2', ...memories, 'END', 'reply so it is']);
    expect(seen).toMatchObject({ message: 'boiler', context: [{ text: 'hello' }] });
    expect(seen?.items[0]).toMatchObject({ chunk: { chunkText: 'chunk 0', neighbors: [] }, memory: { spaceId } });
    expect(seen?.items.map(({ memory }) => memory.createdAt)).toContain(Date.UTC(2026, 0, 1));
    expect(seen?.signal.aborted).toBe(true);
  });

  test('the config arrives, and candidates bound what the search brings', async () => {
    let seen: unknown;
    const { events } = await ask(
      async function* ({ items }, _tools, config) {
        seen = { config, count: items.length };
        yield* items.map((item) => ({ item }));
      },
      { fetchMemory: false },
      { candidates: 2 },
    );
    expect(seen).toEqual({ config: { a: [1] }, count: 2 });
    expect(short(events)).toEqual(['BEGIN vector_search 2', 'chunk', 'chunk', 'END']);
  });
});

describe('one that misbehaves takes neither the stream nor the server with it', () => {
  async function* failing(outcome: Promise<never>): AsyncIterable<Output> {
    yield await outcome;
  }
  const bad = (output: unknown): Process =>
    async function* ({ items: [item] }) {
      if (item !== undefined) yield { item };
      yield output as Output;
    };

  test.each<[string, Process]>([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['throws later', () => failing(Promise.reject(new Error('no')))],
    ['is not iterable', () => undefined as unknown as AsyncIterable<Output>],
  ])('it %s: the results of the search', async (_name, process) => {
    const { name, events } = await ask(process);
    expect(short(events)).toEqual(['CONFIGURATION_ERROR error', ...searched]);
    expect(events[0].status.details).toEqual({ resource_id: name, reason: 'error' });
    expect(JSON.stringify(events)).not.toContain('"no"');
  });

  test('it hangs, and does not hear the signal: the results of the search', async () => {
    const { events } = await ask(() => failing(new Promise<never>(() => {})));
    expect(short(events)).toEqual(['CONFIGURATION_ERROR timeout', ...searched]);
  });

  test('it fails after its first item: what it gave', async () => {
    const { events } = await ask(async function* ({ items: [item] }) {
      if (item !== undefined) yield { item };
      throw new Error('no');
    });
    expect(short(events)).toEqual(['CONFIGURATION_ERROR error', 'BEGIN vector_search 1', searched[1], 'chunk', 'END']);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['an unknown member', { thing: {} }],
    ['two members', { status: { code: 'A' }, abstract: { text: '' } }],
    ['an item without a score', { item: { memory: { memoryId: 'x' } } }],
    ['an item with another record', { item: { memory: { memoryId: 'x', colour: 'red' }, score: 1 } }],
    ['a chunk of another memory', { item: { memory: { memoryId: 'x' }, chunk: { memoryId: 'y' }, score: 1 } }],
    ['a status without a code', { status: { message: 'x' } }],
    ['a status with details that are no texts', { status: { code: 'A', details: { n: 1 } } }],
    ['an abstract without a text', { abstract: {} }],
  ])('it yields %s: what it gave until then', async (_name, output) => {
    const { events } = await ask(bad(output));
    expect(short(events)).toEqual([
      'CONFIGURATION_ERROR bad output',
      'BEGIN vector_search 1',
      searched[1],
      'chunk',
      'END',
    ]);
  });

  test('it never stops yielding: as much as a retrieval can ask for', async () => {
    const { events } = await ask(async function* ({ items: [item] }) {
      while (item !== undefined) yield { item };
    });
    expect(short(events).slice(0, 2)).toEqual(['CONFIGURATION_ERROR bad output', 'BEGIN vector_search 1000']);
  });

  test('it refuses the config: 400 with its words', async () => {
    const name = randomUUID();
    world.postProcessors.set(name, {
      name,
      create: () => {
        throw new Error('a must be larger');
      },
    });
    const request = { message: 'boiler', spaceKeys: [{ spaceId }], postProcessor: { name } };
    expect(await failure(world.retrieve(request))).toMatch(
      /^INVALID_ARGUMENT .*postProcessor\.config: a must be larger$/,
    );
  });
});

describe('tools', () => {
  test('rerank and complete with the permissions of the caller', async () => {
    const reranker = await RerankStandIn.start('COHERE');
    const chat = await ChatStandIn.start();
    const rerankerId = await world.reranker(reranker.endpointUrl);
    const llmId = await world.llm(chat.endpointUrl);
    const process: Process = async function* ({ items, message }, tools) {
      const scores = await tools.rerank(rerankerId, message, ['chunk', 'boiler']);
      const [item] = items;
      if (item !== undefined) yield { item: { ...item, score: Math.round(scores[1] ?? 0) } };
      yield { abstract: { text: await tools.complete(llmId, 'system', 'hello', { maxTokens: 9 }) } };
    };
    try {
      const { events } = await ask(process, { explain: true });
      const sent = ['BEGIN rerank 1', searched[1] ?? '', 'chunk 1', 'END', 'reply Reply to: hello', 'EXPLAIN'];
      expect(short(events)).toEqual(sent);
      expect(chat.requests[0]?.body).toMatchObject({ max_tokens: 9, temperature: 0.3 });
      await world.call('updateSpace', { spaceId, publicRead: true }, world.ada);
      const request = {
        message: 'x',
        spaceKeys: [{ spaceId }],
        postProcessor: { name: [...world.postProcessors.keys()].at(-1) ?? '' },
      };
      const foreign = await world.retrieve(request, { caller: world.bob });
      expect(short(foreign)[0]).toBe('CONFIGURATION_ERROR error');
      expect(reranker.requests).toHaveLength(1);
    } finally {
      await reranker.close();
      await chat.close();
    }
  });

  test('a reply that hits its limit rejects', async () => {
    const chat = await ChatStandIn.start();
    const llmId = await world.llm(chat.endpointUrl);
    const { events } = await ask(async function* (_input, tools) {
      const text = await tools
        .complete(llmId, '', 'one two three', { maxTokens: 2 })
        .catch((error: Error) => error.message);
      yield { abstract: { text } };
    });
    await chat.close();
    expect(short(events)).toEqual(['BEGIN vector_search 0', 'END', 'reply The reply was longer than 2 tokens']);
  });
});
