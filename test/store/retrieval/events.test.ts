import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { sharedPartition } from '../../../src/server/store/vector-tables.ts';
import { ProviderType } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { failure, sql, UNKNOWN_ID } from '../identity.fixture.ts';
import { at, type RetrievalWorld, useRetrievalWorld } from './retrieval.fixture.ts';

const world = useRetrievalWorld();
let embedder: string;
let spaceId: string;
let ids: string[];
beforeAll(async () => {
  embedder = await world.embedder();
  spaceId = await world.space([embedder]);
  const days = [1, 3, 2];
  ids = await world.add(
    spaceId,
    days.map((day) => ({ chunks: [[at(day)], [at(day + 40)]], createdAt: new Date(Date.UTC(2026, 0, day)) })),
  );
});
afterEach(() => {
  world.standIn.always(undefined);
  world.observed.length = 0;
});

type Events = Awaited<ReturnType<RetrievalWorld['retrieve']>>;

/** The stream in short: codes of statuses, boundaries with their count, and which memory each item is of. */
function short(events: Events): string[] {
  return events.map((event) => {
    if (event.status) return event.status.code;
    if (event.memoryDefinition) return `memory ${ids.indexOf(event.memoryDefinition.memoryId)}`;
    if (event.retrievedItem) return `item ${event.retrievedItem.memoryIndex}`;
    const { kind, stageName, expectedItems } = event.resultSetBoundary;
    return kind === 'BEGIN' ? `BEGIN ${stageName} ${expectedItems}` : `END${stageName}`;
  });
}

const ask = (more: object = {}, options: Parameters<RetrievalWorld['retrieve']>[1] = {}) =>
  world.retrieve({ message: 'boiler', spaceKeys: [{ spaceId }], ...more }, options);
const chat = (config: object) => ({ postProcessor: { config: config as Record<string, never> } });
const statusOf = (events: Events, code: string) => events.find((event) => event.status?.code === code)?.status;

describe('a stream', () => {
  test('defines each memory before its first item, all under one result set', async () => {
    const events = await ask({ neighbors: 1 });
    expect(short(events)).toHaveLength(11);
    expect(short(events)[0]).toBe('BEGIN vector_search 6');
    expect(short(events).at(-1)).toBe('END');
    const defined: string[] = [];
    for (const { memoryDefinition, retrievedItem } of events) {
      if (memoryDefinition) defined.push(memoryDefinition.memoryId);
      if (!retrievedItem) continue;
      const { chunk, memoryIndex } = retrievedItem;
      expect(defined[memoryIndex]).toBe(chunk.memoryId);
      const other = 1 - chunk.chunkSequenceNumber;
      expect(chunk.neighbors).toEqual([{ chunkSequenceNumber: other, chunkText: `chunk ${other}` }]);
    }
    expect(new Set(defined)).toEqual(new Set(ids));
    const sets = events.flatMap((event) => (event.resultSetBoundary ?? event.retrievedItem)?.resultSetId ?? []);
    expect(new Set(sets).size).toBe(1);
  });

  test('without fetchMemory counts memories all the same', async () => {
    const events = await ask({ fetchMemory: false });
    expect(short(events).filter((line) => line.startsWith('memory'))).toEqual([]);
    const items = events.flatMap((event) => event.retrievedItem ?? []);
    expect(new Set(items.map(({ memoryIndex }) => memoryIndex))).toEqual(new Set([0, 1, 2]));
    expect(items.every(({ chunk }) => chunk.neighbors === undefined)).toBe(true);
  });

  test('neighbors are up to so many before and after, in order', async () => {
    const own = await world.space([embedder]);
    await world.add(own, [{ chunks: [at(80), at(60), at(0), at(60), at(80)].map((vector) => [vector]) }]);
    const events = await world.retrieve({ message: 'boiler', spaceKeys: [{ spaceId: own }], neighbors: 2 });
    const items = events.flatMap((event) => event.retrievedItem ?? []);
    const around = Object.fromEntries(
      items.map(({ chunk }) => [
        chunk.chunkSequenceNumber,
        chunk.neighbors.map((near: { chunkSequenceNumber: number }) => near.chunkSequenceNumber),
      ]),
    );
    expect(around).toEqual({ 0: [1, 2], 1: [0, 2, 3], 2: [0, 1, 3, 4], 3: [1, 2, 4], 4: [2, 3] });
  });

  test('explain comes last and says how each space was scanned', async () => {
    const empty = await world.space([embedder]);
    const events = await ask({ spaceKeys: [{ spaceId }, { spaceId: empty }], explain: true });
    expect(short(events).slice(-2)).toEqual(['END', 'EXPLAIN']);
    const { details } = events.at(-1).status;
    expect(details).toMatchObject({ [`space.${spaceId}`]: 'exact 6', [`space.${empty}`]: 'exact 0', candidates: '6' });
    for (const name of ['embedMs', 'searchMs', 'loadMs']) expect(Number(details[name])).toBeGreaterThanOrEqual(0);
  });

  test('tells the observer each stage once, and its statuses', async () => {
    await ask({ explain: true });
    expect(world.observed).toEqual(['embed ok', 'vector_search ok', 'load ok', 'EXPLAIN']);
  });

  test('no results: BEGIN and END are sent', async () => {
    const empty = await world.space([embedder]);
    expect(short(await ask({ spaceKeys: [{ spaceId: empty }] }))).toEqual(['BEGIN vector_search 0', 'END']);
  });
});

describe('the chat post processor', () => {
  test('says first that there is no summary, and sorts by time after the cut', async () => {
    const events = await ask(chat({ max_results: 3 }));
    expect(short(events).slice(0, 2)).toEqual(['FEATURE_DISABLED', 'BEGIN vector_search 3']);
    const times = events.flatMap((event) => event.memoryDefinition?.createdAt ?? []);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    const ranked = await ask({ requestedSize: 3 });
    const chunks = (list: Events) => list.flatMap((event) => event.retrievedItem?.chunk.chunkId ?? []).sort();
    expect(chunks(events)).toEqual(chunks(ranked));
  });

  test('drops invalid settings with a status for each', async () => {
    const events = await ask(
      chat({ llmId: UNKNOWN_ID, max_results: 0, llm_temp: 'warm', chronological_resort: false }),
    );
    expect(short(events).slice(0, 5)).toEqual([
      'FEATURE_DISABLED',
      'INVALID_ARGUMENT',
      'INVALID_ARGUMENT',
      'INVALID_ARGUMENT',
      'BEGIN vector_search 6',
    ]);
    const params = events.slice(1, 4).map(({ status }) => status.details.param);
    expect(params.sort()).toEqual(['llmId', 'llm_temp', 'max_results']);
  });

  test('an unknown reranker or LLM is a status, and the results are served', async () => {
    expect(short(await ask(chat({ reranker_id: UNKNOWN_ID }))).slice(0, 4)).toEqual([
      'FEATURE_DISABLED',
      'NOT_FOUND',
      'RERANKING_FAILED',
      'BEGIN vector_search 6',
    ]);
    const events = await ask(chat({ llm_id: UNKNOWN_ID }));
    expect(short(events).slice(0, 2)).toEqual(['NOT_FOUND', 'BEGIN vector_search 6']);
    expect(events[0].status.details).toEqual({ llm_id: UNKNOWN_ID });
  });

  test('an unknown post processor is refused', async () => {
    const request = { postProcessor: { name: 'com.example.Other' } };
    expect(await failure(ask(request))).toMatch(/^INVALID_ARGUMENT .*postProcessor\.name/);
  });
});

describe('failing embedders', () => {
  const nothing = ['BEGIN vector_search 0', 'END'];

  test.each([
    ['401', { kind: 'status', status: 401 }, ['CONFIGURATION_ERROR', 'EMBEDDER_FAILED']],
    ['503', { kind: 'status', status: 503 }, ['EMBEDDER_UNAVAILABLE', 'EMBEDDER_FAILED']],
    ['429', { kind: 'status', status: 429, headers: { 'retry-after': '30' } }, ['RATE_LIMITED', 'EMBEDDER_FAILED']],
    [
      'a used-up quota',
      { kind: 'status', status: 429, body: '{"error":{"message":"no","code":"insufficient_quota"}}' },
      ['RESOURCE_EXHAUSTED', 'EMBEDDER_FAILED'],
    ],
    ['no answer', { kind: 'hang' }, ['EMBEDDER_TIMEOUT', 'EMBEDDER_FAILED']],
    ['a broken connection', { kind: 'drop' }, ['EMBEDDER_UNAVAILABLE', 'EMBEDDER_FAILED']],
    ['a vector of the wrong length', { kind: 'wrong_length' }, ['EMBEDDER_FAILED']],
  ] as const)(
    'the only one with %s: its cause, then EMBEDDER_FAILED, then an empty result set',
    async (_, behavior, codes) => {
      world.standIn.always(behavior);
      const events = await ask({}, behavior.kind === 'hang' ? { timeoutMs: 50 } : {});
      expect(short(events)).toEqual([...codes, ...nothing]);
      expect(statusOf(events, 'EMBEDDER_FAILED')?.details).toEqual({ embedder_ids: embedder });
      if (codes[0] === 'RATE_LIMITED') {
        expect(events[0].status.details).toEqual({ provider: 'OPENAI', retry_after: '30' });
      }
    },
  );

  test('one of two: PARTIAL_RESULTS names it and its spaces, and the other one serves', async () => {
    const away = await world.embedder(8, { endpointUrl: 'http://127.0.0.1:9/v1' });
    const both = await world.space([embedder, away]);
    await world.add(both, [{ chunks: [[at(0), at(0)]] }]);
    const events = await ask({ spaceKeys: [{ spaceId: both }, { spaceId }], fetchMemory: false });
    expect(short(events).slice(0, 3)).toEqual(['EMBEDDER_UNAVAILABLE', 'PARTIAL_RESULTS', 'BEGIN vector_search 7']);
    expect(statusOf(events, 'PARTIAL_RESULTS')?.details).toEqual({ embedder_ids: away, space_ids: both });
    // With weight 0 it is not asked, and nobody misses it.
    const spaceKeys = [{ spaceId: both, embedderWeights: [{ embedderId: away, weight: 0 }] }];
    const skipped = await ask({ spaceKeys, fetchMemory: false });
    expect(short(skipped)).toEqual(['BEGIN vector_search 1', 'item 0', 'END']);
  });

  test('a BUILTIN embedder whose worker crashed is left out like any other', async () => {
    const request = {
      displayName: 'Words',
      providerType: ProviderType.BUILTIN,
      modelIdentifier: 'lexical-v1',
      dimensionality: 8,
    };
    const { embedderId: dead } = await world.call('createEmbedder', request, world.ada);
    const both = await world.space([embedder, dead]);
    await world.add(both, [{ chunks: [[at(0), at(0)]] }]);
    const events = await ask({ spaceKeys: [{ spaceId: both }], fetchMemory: false });
    expect(short(events)).toEqual(['PARTIAL_RESULTS', 'BEGIN vector_search 1', 'item 0', 'END']);
    expect(world.observed).toEqual(['embed failed', 'vector_search ok', 'load ok', 'PARTIAL_RESULTS']);
  });

  test('statuses of the post processor come before those of embedders', async () => {
    world.standIn.always({ kind: 'status', status: 401 });
    const events = await ask(chat({ nonsense: 1 }));
    expect(short(events).slice(0, 4)).toEqual([
      'FEATURE_DISABLED',
      'INVALID_ARGUMENT',
      'CONFIGURATION_ERROR',
      'EMBEDDER_FAILED',
    ]);
  });
});

describe('spaces that cannot be searched', () => {
  test('weight 0 for every embedder is a status', async () => {
    const spaceKeys = [{ spaceId, embedderWeights: [{ embedderId: embedder, weight: 0 }] }];
    const events = await ask({ spaceKeys });
    expect(short(events)).toEqual(['SPACE_NO_EMBEDDERS', 'BEGIN vector_search 0', 'END']);
    expect(events[0].status.details).toEqual({ space_id: spaceId });
  });

  test('weights of the request override those of the space', async () => {
    const spaceKeys = [{ spaceId, embedderWeights: [{ embedderId: embedder, weight: 3 }] }];
    const score = (events: Events) => events.flatMap((event) => event.retrievedItem?.relevanceScore ?? [])[0];
    expect(score(await ask({ spaceKeys }))).toBeCloseTo(3 * score(await ask()), 5);
  });

  test('a search that fails is a status, and the other spaces are served', async () => {
    const broken = await world.embedder();
    const other = await world.space([broken]);
    await sql(world.db, `alter table ${sharedPartition(broken)} rename to gone`);
    const events = await ask({ spaceKeys: [{ spaceId: other }, { spaceId }], fetchMemory: false });
    expect(short(events).slice(0, 2)).toEqual(['VECTOR_SEARCH_FAILED', 'BEGIN vector_search 6']);
    expect(events[0].status.details).toEqual({ space_id: other });
    expect(world.observed).toEqual(['embed ok', 'vector_search failed', 'load ok', 'VECTOR_SEARCH_FAILED']);
  });

  test('and so it is when the existence of the space cannot be determined', async () => {
    const broken = await world.embedder();
    const other = await world.space([broken]);
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const before = world.standIn.requests.length;
    world.standIn.next({ kind: 'held', until }, { kind: 'held', until });
    const events = ask({ spaceKeys: [{ spaceId: other }, { spaceId }], fetchMemory: false });
    await world.standIn.received(before + 2);
    await sql(world.db, `alter table ${sharedPartition(broken)} rename to gone_too`);
    const query = world.db.main.query.bind(world.db.main);
    const looking = vi.spyOn(world.db.main, 'query').mockImplementation((statement, ...rest) => {
      return statement.name === 'spaces.select' ? Promise.reject(new Error('no answer')) : query(statement, ...rest);
    });
    release();
    try {
      expect(short(await events).slice(0, 2)).toEqual(['VECTOR_SEARCH_FAILED', 'BEGIN vector_search 6']);
      expect(looking.mock.calls.map(([{ name }]) => name)).toContain('spaces.select');
    } finally {
      looking.mockRestore();
    }
  });
});

describe('results that cannot be shown', () => {
  test('a chunk was deleted before it is loaded: CHUNK_NOT_FOUND, and the rest is served', async () => {
    const own = await world.space([embedder]);
    const [gone = '', there = ''] = await world.add(own, [{ chunks: [[at(1)]] }, { chunks: [[at(2)]] }]);
    // What a search sees that a deletion overtakes: the vector is still there, the chunk no longer.
    await sql(world.db, 'delete from chunk where memory_id = $1', [gone]);
    const events = await ask({ spaceKeys: [{ spaceId: own }] });
    expect(events.map((event) => Object.keys(event)[0])).toEqual([
      'status',
      'resultSetBoundary',
      'memoryDefinition',
      'retrievedItem',
      'resultSetBoundary',
    ]);
    expect(events[0].status).toMatchObject({ code: 'CHUNK_NOT_FOUND', details: { memory_id: gone } });
    expect(events[2].memoryDefinition.memoryId).toBe(there);
    expect(world.observed).toContain('CHUNK_NOT_FOUND');
  });
});

describe('errors before the first event', () => {
  test.each([
    ['an unknown space', () => ({ spaceKeys: [{ spaceId: UNKNOWN_ID }] }), /^NOT_FOUND .*Space not found/],
    ['a space twice', () => ({ spaceKeys: [{ spaceId }, { spaceId }] }), /^INVALID_ARGUMENT .*spaceKeys\[1\]/],
    ['a bad filter', () => ({ spaceKeys: [{ spaceId, filter: 'nonsense (' }] }), /^INVALID_ARGUMENT .*filter/],
    [
      'a weight for an embedder that the space lacks',
      () => ({ spaceKeys: [{ spaceId, embedderWeights: [{ embedderId: UNKNOWN_ID, weight: 1 }] }] }),
      /^INVALID_ARGUMENT .*embedderWeights\[0\]\.embedderId/,
    ],
    ['content without memories', () => ({ fetchMemory: false, fetchMemoryContent: true }), /^INVALID_ARGUMENT/],
    ['an empty context item', () => ({ context: [{}] }), /^INVALID_ARGUMENT .*context\[0\]/],
  ])('%s', async (_, request, wanted) => {
    const before = world.standIn.requests.length;
    expect(await failure(ask(request()))).toMatch(wanted);
    expect(world.standIn.requests).toHaveLength(before);
  });

  test('the space of another user, unless it is public', async () => {
    const request = { message: 'boiler', spaceKeys: [{ spaceId }] };
    expect(await failure(world.retrieve(request, { caller: world.bob }))).toMatch(/^PERMISSION_DENIED/);
    const open = await world.space([embedder], { publicRead: true });
    const events = await world.retrieve({ ...request, spaceKeys: [{ spaceId: open }] }, { caller: world.bob });
    expect(short(events)).toEqual(['BEGIN vector_search 0', 'END']);
  });

  test('a client abort while the question is embedded', async () => {
    world.standIn.always({ kind: 'hang' });
    const leaving = new AbortController();
    const before = world.standIn.requests.length;
    const request = { message: 'boiler', spaceKeys: [{ spaceId }] };
    const events = world.retrieve(request, { signal: leaving.signal }).catch((error: unknown) => error);
    await world.standIn.received(before + 1);
    leaving.abort(new Error('the client left'));
    expect(await events).toBeInstanceOf(Error);
    expect(world.observed).toEqual([]);
  });
});
