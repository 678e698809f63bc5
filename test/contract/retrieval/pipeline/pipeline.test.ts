import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { grpcWire } from '../../../support/grpc-wire.ts';
import { raw } from '../../../support/raw-rest.ts';
import { useOwnServer } from '../../../support/server.fixture.ts';
import { ChatStandIn } from '../../../support/stand-ins/chat.ts';
import { RerankStandIn } from '../../../support/stand-ins/rerankers.ts';
import type { Json, Wire } from '../../../support/wire.ts';
import {
  type Behaving,
  COMBINATIONS,
  type Combination,
  MAX_RESULTS,
  QUESTION,
  TEXTS,
  THRESHOLD,
} from './combination.ts';
import { expectedStream, type Ids, type Ranked } from './expected.ts';
import { shortStream } from './short.ts';

/** The example of the document, as a file. */
const EXAMPLE = join(mkdtempSync(join(tmpdir(), 'svc-example-')), 'one-per-memory.mjs');
const DOCUMENT = readFileSync(new URL('../../../../docs/post-processors.md', import.meta.url), 'utf8');
writeFileSync(EXAMPLE, /```js\n(.*?)```/s.exec(DOCUMENT)?.[1] ?? '');

/** One drops a rejection and an error, and gives nothing; one is in the middle of something when the other ends it all. */
const CARELESS = join(dirname(EXAMPLE), 'careless.mjs');
writeFileSync(
  CARELESS,
  `let isBusy = () => {};
  const busy = new Promise((resolve) => { isBusy = resolve; });
  export const factories = [
    { name: 'org.example.Careless', create: (_, tools) => ({ async *process() {
      console.log('\\u001b[2Jnothing to see here');
      void tools.rerank('nothing', '', []);
      void Promise.reject(new Error('dropped'));
      setTimeout(() => { throw new Error('out of the blue'); });
    } }) },
    { name: 'org.example.Busy', create: () => ({ async *process({ items: [item] }) {
      yield { item };
      isBusy();
      await new Promise(() => {});
    } }) },
    { name: 'org.example.Leaving', create: () => ({ async *process() { await busy; process.exit(); } }) },
  ];`,
);

/** Long enough for every answer that is to come, short enough to wait for those that are not. */
const running = useOwnServer([
  '--provider-timeout-s',
  '3',
  '--post-processor-module',
  EXAMPLE,
  '--post-processor-module',
  CARELESS,
]);
/** A target has eight calls in flight: enough of them that no slow one waits for another. */
const SLOW_LLMS = 6;
const AT_ONCE = 64;

let wire: Wire;
let rerankers: Record<Exclude<Behaving, 'absent'>, RerankStandIn>;
let chats: Record<Exclude<Behaving, 'absent'>, ChatStandIn>;
const rerankerIds = new Map<Behaving, string>();
const llmIds = new Map<Behaving, string[]>();
let spaceId: string;
let found: Ranked[];

beforeAll(async () => {
  wire = grpcWire(running.server.grpc);
  const [ok, failing, slow] = await Promise.all([1, 2, 3].map(() => RerankStandIn.start('COHERE')));
  const [chatOk, chatFailing, chatSlow] = await Promise.all([1, 2, 3].map(() => ChatStandIn.start()));
  rerankers = { ok, failing, slow } as typeof rerankers;
  chats = { ok: chatOk, failing: chatFailing, slow: chatSlow } as typeof chats;
  for (const standIns of [rerankers, chats]) {
    standIns.failing.always({ kind: 'status', status: 400 });
    standIns.slow.always({ kind: 'hang' });
  }
  await makeTargets();
  spaceId = await makeSpace();
  found = await search();
});
afterAll(async () => {
  rmSync(dirname(EXAMPLE), { recursive: true });
  wire.close();
  await Promise.all([...Object.values(rerankers), ...Object.values(chats)].map((standIn) => standIn.close()));
});

async function post(path: string, body: Record<string, unknown>): Promise<Json> {
  const { status, json } = await raw(running.server, `POST ${path}`, { key: running.rootKey, body });
  if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${JSON.stringify(json)}`);
  return json;
}

async function makeTargets(): Promise<void> {
  const common = { displayName: 'table', modelIdentifier: 'm' };
  for (const [behaving, { endpointUrl }] of Object.entries(rerankers)) {
    const { rerankerId } = await post('/v1/rerankers', { ...common, providerType: 'COHERE', endpointUrl });
    rerankerIds.set(behaving as Behaving, rerankerId);
  }
  for (const [behaving, { endpointUrl }] of Object.entries(chats)) {
    const ids: string[] = [];
    for (let n = 0; n < (behaving === 'slow' ? SLOW_LLMS : 1); n++) {
      const body = { ...common, modelIdentifier: `m${n}`, providerType: 'VLLM', endpointUrl };
      ids.push((await post('/v1/llms', body)).llm.llmId);
    }
    llmIds.set(behaving as Behaving, ids);
  }
}

async function makeSpace(): Promise<string> {
  const fields = { displayName: 'e', providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 256 };
  const { embedderId } = await post('/v1/embedders', fields);
  const space = await post('/v1/spaces', { name: 'table', embedderId });
  for (const originalContent of TEXTS) {
    await post('/v1/memories?waitMs=60000', { spaceId: space.spaceId, contentType: 'text/plain', originalContent });
  }
  return space.spaceId;
}

/** The order and the scores of the search, which other tests look at. */
async function search(): Promise<Ranked[]> {
  const events = await eventsOf('NDJSON', { message: QUESTION, spaceKeys: [{ spaceId }] });
  const memories = new Map<string, Json>(
    events.flatMap(({ memoryDefinition }) => (memoryDefinition ? [[memoryDefinition.memoryId, memoryDefinition]] : [])),
  );
  return events.flatMap(({ retrievedItem }) => {
    if (retrievedItem === undefined) return [];
    const { chunkText: text, memoryId } = retrievedItem.chunk;
    return [{ text, score: retrievedItem.relevanceScore, memoryId, createdAt: memories.get(memoryId).createdAt }];
  });
}

type Form = 'NDJSON' | 'SSE' | 'gRPC';

async function eventsOf(form: Form, request: Record<string, unknown>): Promise<Json[]> {
  const key = running.rootKey;
  if (form === 'gRPC') {
    const answer = await wire.call('retrieveMemory', request, { key });
    if (!answer.ok) throw new Error(`${answer.code}: ${answer.message}`);
    return answer.events;
  }
  const headers = { accept: form === 'SSE' ? 'text/event-stream' : 'application/x-ndjson' };
  const { text } = await raw(running.server, 'POST /v1/memories:retrieve', { key, headers, body: request });
  if (form === 'NDJSON')
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
  const frames = text.split('\n\n').filter((frame) => !frame.startsWith(':') && frame !== '');
  expect(frames.pop()).toBe('event: close\ndata: {"type":"completed"}');
  return frames.map((frame) => JSON.parse(frame.slice('event: item\ndata: '.length)) as Json);
}

function requestOf({ reranker, llm, threshold, chronological }: Combination, index: number) {
  const slowOnes = llmIds.get(llm) ?? [];
  const ids: Ids = { reranker: rerankerIds.get(reranker), llm: slowOnes[index % slowOnes.length] };
  const config = {
    ...(ids.reranker === undefined ? {} : { reranker_id: ids.reranker }),
    ...(ids.llm === undefined ? {} : { llm_id: ids.llm }),
    ...(threshold ? { relevance_threshold: THRESHOLD } : {}),
    chronological_resort: chronological,
    max_results: MAX_RESULTS,
  };
  return { ids, request: { message: QUESTION, spaceKeys: [{ spaceId }], postProcessor: { config } } };
}

test('threshold and max_results both remove results, in another order than the search', () => {
  const [reranked, cut] = [true, false].map((threshold) =>
    expectedStream(
      found,
      { reranker: 'ok', llm: 'absent', threshold, chronological: false },
      { reranker: '', llm: '' },
    ),
  );
  expect(found).toHaveLength(TEXTS.length);
  expect(new Set(found.map(({ createdAt }) => createdAt)).size).toBe(TEXTS.length);
  expect(cut?.filter((line) => line.startsWith('item'))).toHaveLength(MAX_RESULTS);
  expect(reranked?.filter((line) => line.startsWith('item'))).toHaveLength(3);
});

test('every combination of reranker, LLM, threshold and order, in every form of the stream', async () => {
  const forms: readonly Form[] = ['NDJSON', 'SSE', 'gRPC'];
  const cases = COMBINATIONS.flatMap((combination) => forms.map((form) => ({ combination, form })));
  const got = new Map<string, string[]>();
  const wanted = new Map<string, string[]>();
  let next = 0;
  const work = async () => {
    for (let index = next++; index < cases.length; index = next++) {
      // Those that wait are spread among those that do not.
      const { combination, form } = cases[(index * 37) % cases.length] as (typeof cases)[number];
      const { ids, request } = requestOf(combination, index);
      const name = `${form} ${JSON.stringify(combination)}`;
      wanted.set(name, expectedStream(found, combination, ids));
      got.set(name, shortStream(await eventsOf(form, request)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(got.size).toBe(COMBINATIONS.length * forms.length);
  expect(Object.fromEntries(got)).toEqual(Object.fromEntries(wanted));
});

test('every item and END are sent before the LLM answers', async () => {
  const held = await ChatStandIn.start();
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  held.always({ kind: 'held', until });
  const capabilities = { supportsChat: true, supportsStreaming: false };
  const body = { displayName: 'h', modelIdentifier: 'm', providerType: 'VLLM', endpointUrl: held.endpointUrl };
  const { llm } = await post('/v1/llms', { ...body, capabilities });
  const config = { llm_id: llm.llmId };
  const response = await fetch(`${running.server.rest}/v1/memories:retrieve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': running.rootKey },
    body: JSON.stringify({ message: QUESTION, spaceKeys: [{ spaceId }], postProcessor: { config } }),
  });
  let text = '';
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(part).toString();
    if (text.includes('"END"')) release();
  }
  await held.close();
  expect(text.trimEnd().split('\n').at(-1)).toMatch(/^\{"abstractReply":/);
});

test('the example of the document, with and without a reranker', async () => {
  const ask = async (form: Form, config: object) => {
    const postProcessor = { name: 'org.example.OnePerMemory', config };
    return shortStream(await eventsOf(form, { message: QUESTION, spaceKeys: [{ spaceId }], postProcessor }));
  };
  for (const form of ['NDJSON', 'SSE', 'gRPC'] as const) {
    const plain = await ask(form, { limit: 2 });
    expect(plain.filter((line) => line.startsWith('item'))).toEqual(
      found.slice(0, 2).map(({ text, score }, index) => `item ${index} ${score.toFixed(6)} ${text}`),
    );
    expect(plain.at(-1)).toBe('reply "The best of 8 chunks, from 2 memories."');
    const reranked = await ask(form, { reranker_id: rerankerIds.get('ok') });
    expect(reranked[0]).toBe('BEGIN rerank 5');
  }
  const refused = { message: QUESTION, spaceKeys: [{ spaceId }] };
  const name = 'org.example.OnePerMemory';
  for (const [postProcessor, details] of [
    [{ name, config: { limit: 0 } }, 'postProcessor.config: limit must be a whole number above 0'],
    [{ name: 'org.example.Nobody' }, 'postProcessor.name: no post processor has this name'],
  ] as const) {
    const answer = await wire.call('retrieveMemory', { ...refused, postProcessor }, { key: running.rootKey });
    expect(answer).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT', details });
  }
});

test('what a post processor drops and prints is in the log', async () => {
  const request = { message: QUESTION, spaceKeys: [{ spaceId }], postProcessor: { name: 'org.example.Careless' } };
  expect(shortStream(await eventsOf('gRPC', request))).toEqual(['BEGIN vector_search 0', 'END']);
  const logged = () => JSON.stringify(running.server.logs);
  for (const text of ['out of the blue', 'dropped', 'nothing to see here']) {
    while (!logged().includes(text)) await new Promise((resolve) => setImmediate(resolve));
  }
  const line = running.server.logs.find((log) => JSON.stringify(log).includes('nothing to see here'));
  expect(line).toMatchObject({ level: 'info', module: CARELESS, msg: '\u001b[2Jnothing to see here' });
});

test('the exit of a module process ends its own calls alone', async () => {
  const request = (name: string) => ({ message: QUESTION, spaceKeys: [{ spaceId }], postProcessor: { name } });
  const [busy, leaving] = await Promise.all([
    eventsOf('SSE', request('org.example.Busy')).then(shortStream),
    eventsOf('gRPC', request('org.example.Leaving')).then(shortStream),
  ]);
  expect(busy.slice(0, 2)).toEqual([expect.stringContaining('CONFIGURATION_ERROR'), 'BEGIN vector_search 1']);
  expect(leaving.slice(0, 2)).toEqual([
    expect.stringContaining('CONFIGURATION_ERROR'),
    `BEGIN vector_search ${found.length}`,
  ]);
  expect(await search()).toEqual(found);
  expect(shortStream(await eventsOf('NDJSON', request('org.example.Careless')))).toEqual([
    'BEGIN vector_search 0',
    'END',
  ]);
});
