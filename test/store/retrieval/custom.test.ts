import type { JsonObject } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostProcessorModule } from '../../../src/server/workers/post-processor/module.ts';
import type { ModuleLimits } from '../../../src/server/workers/post-processor/module-process.ts';
import { built } from '../../support/built.ts';
import { ChatStandIn } from '../../support/stand-ins/chat.ts';
import { RerankStandIn } from '../../support/stand-ins/rerankers.ts';
import { failure } from '../identity.fixture.ts';
import { at, type RetrievalWorld, useRetrievalWorld } from './retrieval.fixture.ts';

const world = useRetrievalWorld();
let modules: PostProcessorModule[];
let spaceId: string;
/** The stream of the search alone, in short. */
let searched: string[];
beforeAll(async () => {
  modules = await Promise.all([start({}), start({ silenceMs: 500 })]);
  const [patient, hasty] = modules;
  for (const name of patient?.factories ?? [])
    world.postProcessors.set(name ?? '', (/^loops/.test(name ?? '') ? hasty : patient) as PostProcessorModule);
  spaceId = await world.space([await world.embedder()]);
  await world.add(
    spaceId,
    [1, 2, 3].map((day) => ({ chunks: [[at(day)]], createdAt: new Date(Date.UTC(2026, 0, day)), metadata: { day } })),
  );
  searched = short(await world.retrieve({ message: 'boiler', spaceKeys: [{ spaceId }] }));
});
afterAll(async () => {
  await Promise.all(modules.map((module) => module.close()));
});

function start(limits: Partial<ModuleLimits>): Promise<PostProcessorModule> {
  const report = { line: () => {}, fault: () => {}, ended: () => {} };
  const url = new URL('./post-processors.fixture.mjs', import.meta.url).href;
  return PostProcessorModule.start({ url, limits, report, entry: built('server/workers/post-processor/entry.js') });
}

/** Asks with the post processor of this name in post-processors.fixture.mjs. */
function ask(name: string, config: JsonObject = {}, more: object = {}, options: { timeoutMs?: number } = {}) {
  const request = { message: 'boiler', spaceKeys: [{ spaceId }], postProcessor: { name, config }, ...more };
  return world.retrieve(request, options);
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

describe('outputs of a post processor are sent', () => {
  test('statuses, items in its order with its scores, whole memories, and the abstract behind them', async () => {
    const events = await ask('mixes');
    const memories = ['memory 3', 'chunk 7', 'memory 1', 'whole -1'];
    expect(short(events)).toEqual(['MY_OWN because', 'BEGIN vector_search 2', ...memories, 'END', 'reply so it is']);
  });

  test('the question, the turns, the results and the config arrive', async () => {
    const context = [{ item: { case: 'text', value: 'hello' } }];
    const events = await ask('tells', { a: [1] }, { context, neighbors: 1 });
    const seen = JSON.parse(events.at(-1).abstractReply.text);
    const common = { message: 'boiler', context: [{ text: 'hello' }], signal: false };
    expect(seen).toMatchObject({ ...common, config: { a: [1] } });
    expect(seen.items[0]).toMatchObject({ chunk: { chunkText: 'chunk 0', neighbors: [] }, memory: { spaceId } });
    const times = seen.items.map(({ memory }: { memory: { createdAt: number } }) => memory.createdAt);
    expect(times.sort()).toEqual([1, 2, 3].map((day) => Date.UTC(2026, 0, day)));
  });

  test('candidates bound what the search brings', async () => {
    const events = await ask('passes', { candidates: 2 }, { fetchMemory: false });
    expect(short(events)).toEqual(['BEGIN vector_search 2', 'chunk', 'chunk', 'END']);
  });
});

describe('a faulty one ends neither the stream nor the server', () => {
  test.each(['throws', 'plain'])('it %s: the results of the search are sent', async (name) => {
    const events = await ask(name);
    expect(short(events)).toEqual(['CONFIGURATION_ERROR error', ...searched]);
    expect(events[0].status.details).toEqual({ resource_id: name, reason: 'error' });
    expect(JSON.stringify(events)).not.toContain('"no"');
  });

  test('it hangs: the results of the search are sent', async () => {
    const events = await ask('hangs', {}, {}, { timeoutMs: 150 });
    expect(short(events)).toEqual(['CONFIGURATION_ERROR timeout', ...searched]);
  });

  const first = (reason: string) => [
    `CONFIGURATION_ERROR ${reason}`,
    'BEGIN vector_search 1',
    searched[1],
    'chunk',
    'END',
  ];

  test('it fails after its first item: that item is sent', async () => {
    expect(short(await ask('fails'))).toEqual(first('error'));
  });

  test('it exits after its first item: that item is sent', async () => {
    expect(short(await ask('exits'))).toEqual(first('error'));
  });

  test.each([
    ['loopsInCreate', () => ['CONFIGURATION_ERROR timeout', ...searched]],
    ['loops', () => first('timeout')],
  ])('it %s while another stream is answered', async (name, stream) => {
    const looping = ask(name);
    expect(short(await ask('passes'))).toHaveLength(searched.length);
    expect(short(await looping)).toEqual(stream());
  });

  test('its loop outlasts its timeout: it is terminated', async () => {
    const events = await ask('loopsInCreate', {}, {}, { timeoutMs: 150 });
    expect(short(events)).toEqual(['CONFIGURATION_ERROR timeout', ...searched]);
  });

  test.each<[string, object | null]>([
    ['nothing', null],
    ['an unknown member', { thing: {} }],
    ['two members', { status: { code: 'A' }, abstract: { text: '' } }],
    ['an item without a score', { item: { memory: { memoryId: 'x' } } }],
    ['an item with another record', { item: { memory: { memoryId: 'x', color: 'red' }, score: 1 } }],
    ['a chunk of another memory', { item: { memory: { memoryId: 'x' }, chunk: { memoryId: 'y' }, score: 1 } }],
    ['a status without a code', { status: { message: 'x' } }],
    ['a status with details that are no texts', { status: { code: 'A', details: { n: 1 } } }],
    ['an abstract without a text', { abstract: {} }],
  ])('it yields %s: the items until then are sent', async (_name, output) => {
    expect(short(await ask('yields', { output } as JsonObject))).toEqual(first('bad output'));
  });

  test('it yields a function: the items until then are sent', async () => {
    expect(short(await ask('yieldsFunction'))).toEqual(first('bad output'));
  });

  test('it never stops yielding: the largest size of a retrieval is sent', async () => {
    const events = await ask('neverStops');
    expect(short(events).slice(0, 2)).toEqual(['CONFIGURATION_ERROR bad output', 'BEGIN vector_search 1000']);
  });

  test('it refuses the config: 400 with its words', async () => {
    expect(await failure(ask('refuses'))).toMatch(/^INVALID_ARGUMENT .*postProcessor\.config: a must be larger$/);
  });

  test('it has no process function: 400', async () => {
    expect(await failure(ask('isNothing'))).toMatch(/^INVALID_ARGUMENT .*postProcessor\.name: .* is broken$/);
  });
});

describe('tools', () => {
  test('rerank and complete with the permissions of the caller', async () => {
    const reranker = await RerankStandIn.start('COHERE');
    const chat = await ChatStandIn.start();
    const config = {
      rerankerId: await world.reranker(reranker.endpointUrl),
      llmId: await world.llm(chat.endpointUrl),
    };
    try {
      const events = await ask('usesTools', config, { explain: true });
      const sent = ['BEGIN rerank 1', searched[1] ?? '', 'chunk 1', 'END', 'reply Reply to: hello', 'EXPLAIN'];
      expect(short(events)).toEqual(sent);
      expect(chat.requests[0]?.body).toMatchObject({ max_tokens: 9, temperature: 0.3 });
      await world.call('updateSpace', { spaceId, publicRead: true }, world.ada);
      const request = { message: 'x', spaceKeys: [{ spaceId }], postProcessor: { name: 'usesTools', config } };
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
    const events = await ask('completes', { llmId: await world.llm(chat.endpointUrl) });
    await chat.close();
    expect(short(events)).toEqual(['BEGIN vector_search 0', 'END', 'reply The reply was longer than 2 tokens']);
  });
});
