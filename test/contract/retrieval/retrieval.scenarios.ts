import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Json } from '../../support/wire.ts';
import type { Scenario } from '../scenario.fixture.ts';
import { expectWhole, FACTS, facts, kinds, library, texts } from './library.fixture.ts';

export const retrieval: readonly Scenario[] = [
  {
    name: 'the nearest chunk comes first, after its memory',
    async run(stage) {
      const spaceId = await library(stage, facts);
      const request = { message: 'When was the boiler serviced?', spaceKeys: [{ spaceId }] };
      const events = await stage.events('retrieveMemory', request);
      expectWhole(events);
      expect(kinds(events).slice(0, 3)).toEqual(['resultSetBoundary', 'memoryDefinition', 'retrievedItem']);
      expect(texts(events)).toHaveLength(3);
      expect(texts(events)[0]).toBe(FACTS[0]);
      const scores = events.flatMap((event) => (event.retrievedItem ? [event.retrievedItem.relevanceScore] : []));
      expect([...scores].sort((a, b) => b - a)).toEqual(scores);
      const { memoryDefinition } = events[1];
      expect(memoryDefinition).toEqual(await stage.ok('getMemory', { memoryId: memoryDefinition.memoryId }));
      expect(events[2].retrievedItem.chunk).toEqual({
        chunkId: expect.any(String),
        memoryId: memoryDefinition.memoryId,
        chunkSequenceNumber: 0,
        chunkText: FACTS[0],
        vectorStatus: 'COMPLETED',
        startOffset: 0,
        endOffset: FACTS[0]?.length,
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
        createdById: stage.caller.userId,
        updatedById: stage.caller.userId,
      });
    },
  },
  {
    name: 'an empty space is an empty result set',
    async run(stage) {
      const { spaceId } = await stage.space();
      const request = { message: 'anything', spaceKeys: [{ spaceId }] };
      const events = await stage.events('retrieveMemory', request);
      expectWhole(events);
      expect(kinds(events)).toEqual(['resultSetBoundary', 'resultSetBoundary']);
    },
  },
  {
    name: 'results of several spaces are ranked together',
    async run(stage) {
      const first = await library(stage, [{ text: FACTS[1] ?? '' }]);
      const second = await library(stage, [{ text: FACTS[0] ?? '' }]);
      const empty = (await stage.space()).spaceId;
      const spaceKeys = [first, second, empty].map((spaceId) => ({ spaceId }));
      const events = await stage.events('retrieveMemory', { message: 'boiler serviced in March', spaceKeys });
      expectWhole(events);
      expect(texts(events)).toEqual([FACTS[0], FACTS[1]]);
    },
  },
  {
    name: 'a filter applies to its space alone',
    async run(stage) {
      const spaceId = await library(stage, facts);
      const open = await library(stage, [{ text: 'A boiler somewhere else.' }]);
      const filter = "CAST(val('$.n') AS INTEGER) >= 1";
      const message = 'boiler';
      const one = await stage.events('retrieveMemory', { message, spaceKeys: [{ spaceId, filter }] });
      expectWhole(one);
      expect(texts(one).sort()).toEqual([FACTS[1], FACTS[2]].sort());
      const both = await stage.events('retrieveMemory', {
        message,
        spaceKeys: [{ spaceId, filter }, { spaceId: open }],
      });
      expect(texts(both)[0]).toBe('A boiler somewhere else.');
      expect(texts(both)).toHaveLength(3);
      const none = await stage.events('retrieveMemory', { message, spaceKeys: [{ spaceId, filter: 'false' }] });
      expect(texts(none)).toEqual([]);
      const blank = await stage.events('retrieveMemory', { message, spaceKeys: [{ spaceId, filter: ' ' }] });
      expect(texts(blank)).toHaveLength(3);
      await stage.refused(
        'retrieveMemory',
        { message, spaceKeys: [{ spaceId, filter: "val('$.a'" }] },
        'INVALID_ARGUMENT',
        {
          message: /^Invalid filter: Parse error at line 1, column \d+$/,
          details: 'spaceKeys[0].filter: expected',
        },
      );
    },
  },
  {
    name: 'the requested size is the number of results; 0 means 20',
    async run(stage) {
      const many = Array.from({ length: 25 }, (_, n) => ({ text: `Note ${n} about the boiler.` }));
      const { spaceId } = await stage.space();
      const requests = many.map(({ text }) => ({ spaceId, contentType: 'text/plain', originalContent: text }));
      await stage.ok('batchCreateMemory', { requests, waitMs: 60_000 });
      const size = async (more: object) => {
        const events = await stage.events('retrieveMemory', { message: 'boiler', spaceKeys: [{ spaceId }], ...more });
        expectWhole(events);
        return texts(events).length;
      };
      expect(await size({})).toBe(20);
      expect(await size({ requestedSize: 0 })).toBe(20);
      expect(await size({ requestedSize: 3 })).toBe(3);
      expect(await size({ requestedSize: 1000 })).toBe(25);
      expect(await size({ postProcessor: {} })).toBe(10);
      expect(await size({ postProcessor: { config: { max_results: 4 } } })).toBe(4);
      expect(await size({ requestedSize: 20, postProcessor: { config: { max_results: 4 } } })).toBe(4);
    },
  },
  {
    name: 'memories are left out, or sent with their content',
    async run(stage) {
      const spaceId = await library(stage, facts);
      const request = { message: 'boiler', spaceKeys: [{ spaceId }] };
      const bare = await stage.events('retrieveMemory', { ...request, fetchMemory: false });
      expectWhole(bare, { memories: false });
      const full = await stage.events('retrieveMemory', { ...request, fetchMemoryContent: true });
      expectWhole(full);
      const contents = full.flatMap(({ memoryDefinition }) =>
        memoryDefinition ? [Buffer.from(memoryDefinition.originalContent, 'base64').toString()] : [],
      );
      expect(contents.sort()).toEqual([...FACTS].sort());
      const both = { ...request, fetchMemory: false, fetchMemoryContent: true };
      await stage.refused('retrieveMemory', both, 'INVALID_ARGUMENT', { details: 'fetchMemoryContent' });
    },
  },
  {
    name: 'chunks of one memory: numbered, bounded, with neighbors',
    async run(stage) {
      const paragraphs = Array.from({ length: 9 }, (_, n) => `Chapter ${n} tells of the boiler, part ${n} of nine.`);
      const { spaceId } = await stage.space({ defaultChunkingConfig: { recursive: { chunkSize: 60 } } });
      const create = { spaceId, contentType: 'text/plain', waitMs: 60_000 };
      await stage.ok('createMemory', { ...create, originalContent: paragraphs.join('\n\n') });
      await stage.ok('createMemory', { ...create, originalContent: 'Another boiler.' });
      const request = { message: 'Chapter 4 boiler part 4', spaceKeys: [{ spaceId }], requestedSize: 20 };
      const all = await stage.events('retrieveMemory', request);
      expectWhole(all);
      expect(texts(all)).toHaveLength(10);
      expect(JSON.stringify(all)).not.toContain('neighbors');
      const capped = await stage.events('retrieveMemory', { ...request, maxPerMemory: 2 });
      expectWhole(capped);
      expect(texts(capped)).toHaveLength(3);
      const near = await stage.events('retrieveMemory', { ...request, neighbors: 1 });
      const chunks = near.flatMap((event) => (event.retrievedItem ? [event.retrievedItem.chunk] : []));
      const middle = chunks.find((chunk: Json) => chunk.chunkSequenceNumber === 4);
      expect(middle.neighbors.map((chunk: Json) => chunk.chunkSequenceNumber)).toEqual([3, 5]);
      expect(middle.neighbors[0].chunkText).toContain('Chapter 3');
      const first = chunks.find((chunk: Json) => chunk.chunkText.startsWith('Chapter 0'));
      expect(first.neighbors.map((chunk: Json) => chunk.chunkSequenceNumber)).toEqual([1]);
    },
  },
  {
    name: 'weights: zero skips an embedder, a negative one reverses the order, one for another embedder is refused',
    async run(stage) {
      const spaceId = await library(stage, facts);
      const embedderId = await stage.embedder();
      const search = (weight: number) =>
        stage.events('retrieveMemory', {
          message: 'boiler serviced in March',
          spaceKeys: [{ spaceId, embedderWeights: [{ embedderId, weight }] }],
        });
      expect(texts(await search(2))[0]).toBe(FACTS[0]);
      const against = await search(-1);
      expectWhole(against);
      expect(texts(against).at(-1)).toBe(FACTS[0]);
      const scores = against.flatMap(({ retrievedItem }) => (retrievedItem ? [retrievedItem.relevanceScore] : []));
      expect(scores.at(-1)).toBeLessThan(0);
      const strange = { spaceId, embedderWeights: [{ embedderId: randomUUID(), weight: 1 }] };
      await stage.refused('retrieveMemory', { message: 'x', spaceKeys: [strange] }, 'INVALID_ARGUMENT', {
        details: 'spaceKeys[0].embedderWeights',
      });
    },
  },
  {
    name: 'hnsw options have limits',
    async run(stage) {
      const spaceId = await library(stage, [{ text: FACTS[0] ?? '' }]);
      const request = { message: 'boiler', spaceKeys: [{ spaceId }] };
      const good = [
        { efSearch: 1, iterativeScan: 'ITERATIVE_SCAN_OFF', maxScanTuples: 1, scanMemMultiplier: 1 },
        { efSearch: 1000, iterativeScan: 'ITERATIVE_SCAN_RELAXED_ORDER', scanMemMultiplier: 1000 },
        { iterativeScan: 'ITERATIVE_SCAN_STRICT_ORDER', maxScanTuples: 2_147_483_647 },
        { iterativeScan: 'ITERATIVE_SCAN_UNSPECIFIED' },
        {},
      ];
      for (const hnsw of good) {
        expect(texts(await stage.events('retrieveMemory', { ...request, hnsw }))).toEqual([FACTS[0]]);
      }
      const bad: [string, unknown][] = [
        ['efSearch', 0],
        ['efSearch', 1001],
        ['maxScanTuples', 0],
        ['maxScanTuples', 2_147_483_648],
        ['scanMemMultiplier', 0.5],
        ['scanMemMultiplier', 1001],
        ['iterativeScan', 'SOMETIMES'],
      ];
      for (const [name, value] of bad) {
        const refused = { ...request, hnsw: { [name]: value } };
        await stage.refused('retrieveMemory', refused, 'INVALID_ARGUMENT', { details: `hnsw.${name}` });
      }
    },
  },
  {
    name: 'bad requests are refused before any event',
    async run(stage) {
      const { spaceId } = await stage.space();
      const good = { message: 'x', spaceKeys: [{ spaceId }] };
      const bad: [object, string][] = [
        [{ message: '' }, 'message'],
        [{ message: 'x'.repeat(10_001) }, 'message'],
        [{ spaceKeys: [] }, 'spaceKeys'],
        [{ spaceKeys: Array.from({ length: 101 }, () => ({ spaceId: randomUUID() })) }, 'spaceKeys'],
        [{ spaceKeys: [{ spaceId: 'x' }] }, 'spaceKeys[0].spaceId'],
        [{ spaceKeys: [{ spaceId }, { spaceId: spaceId.toUpperCase() }] }, 'spaceKeys[1]'],
        [{ requestedSize: -1 }, 'requestedSize'],
        [{ requestedSize: 1001 }, 'requestedSize'],
        [{ neighbors: 6 }, 'neighbors'],
        [{ maxPerMemory: 1001 }, 'maxPerMemory'],
        [{ outputBudget: { tokens: 0 } }, 'outputBudget'],
        [{ context: [{}] }, 'context[0]'],
        [{ context: Array.from({ length: 101 }, () => ({ text: 'x' })) }, 'context'],
        [{ postProcessor: { name: 'com.example.Nobody' } }, 'postProcessor.name'],
      ];
      for (const [more, details] of bad) {
        await stage.refused('retrieveMemory', { ...good, ...more }, 'INVALID_ARGUMENT', { details });
      }
      await stage.events('retrieveMemory', { ...good, message: '\u{1f600}'.repeat(10_000) });
      const logged = (count: number) => {
        const attributes = Array.from({ length: count }, (_, n) => [`k${n}`, 'v']);
        return { ...good, logging: { enabled: true, callerAttributes: Object.fromEntries(attributes) } };
      };
      expect(kinds(await stage.events('retrieveMemory', logged(32)))).toEqual(
        kinds(await stage.events('retrieveMemory', good)),
      );
      await stage.refused('retrieveMemory', logged(33), 'INVALID_ARGUMENT', { details: 'logging' });
      for (const mode of ['HYBRID', 'TEXT']) {
        await stage.refused('retrieveMemory', { ...good, search: { mode } }, 'UNIMPLEMENTED');
      }
      const ghost = randomUUID();
      const missing = { message: 'x', spaceKeys: [{ spaceId }, { spaceId: ghost }] };
      await stage.refused('retrieveMemory', missing, 'NOT_FOUND', { message: `Space not found: ${ghost}` });
      await stage.refused('retrieveMemory', good, 'UNAUTHENTICATED', { as: null });
    },
  },
  {
    name: 'a caller who may read a space may search it',
    async run(stage) {
      const ada = await stage.person();
      const spaceId = await library(stage, [{ text: FACTS[0] ?? '' }]);
      const request = { message: 'boiler', spaceKeys: [{ spaceId }] };
      await stage.refused('retrieveMemory', request, 'PERMISSION_DENIED', { as: ada.key });
      await stage.ok('updateSpace', { spaceId, publicRead: true });
      expect(texts(await stage.events('retrieveMemory', request, ada.key))).toEqual([FACTS[0]]);
      const readOnly = await stage.key({ restrictions: { readOnly: true } });
      expect(texts(await stage.events('retrieveMemory', request, readOnly))).toEqual([FACTS[0]]);
      const bound = await stage.key({ restrictions: { spaceIds: [(await stage.space()).spaceId] } });
      await stage.refused('retrieveMemory', request, 'PERMISSION_DENIED', { as: bound });
      // An embedder of her own, which nobody else may even look at, serves whoever may read the space.
      const own = { displayName: 'own', providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 64 };
      const { embedderId } = await stage.ok('createEmbedder', own, ada.key);
      const open = await stage.space({ embedderId, publicRead: true }, ada.key);
      await stage.memory({ spaceId: open.spaceId, originalContent: FACTS[1] }, ada.key);
      const { key } = await stage.person();
      await stage.refused('getEmbedder', { embedderId }, 'PERMISSION_DENIED', { as: key });
      const theirs = { message: 'tuna', spaceKeys: [{ spaceId: open.spaceId }] };
      expect(texts(await stage.events('retrieveMemory', theirs, key))).toEqual([FACTS[1]]);
    },
  },
  {
    name: 'expired, deleted and not COMPLETED memories are not found',
    async run(stage) {
      const spaceId = await library(stage, facts);
      const request = { message: 'boiler', spaceKeys: [{ spaceId }] };
      const { memories } = await stage.ok('listMemories', { spaceId, filter: "CAST(val('$.n') AS INTEGER) = 0" });
      await stage.ok('deleteMemory', { memoryId: memories[0].memoryId });
      const { memoryId } = await stage.memory({ spaceId, originalContent: 'boiler, soon gone' });
      await stage.expiring('updateMemory', { memoryId });
      await stage.untilRefused('getMemory', { memoryId }, 'NOT_FOUND');
      const events = await stage.events('retrieveMemory', request);
      expectWhole(events);
      expect(texts(events).sort()).toEqual([FACTS[1], FACTS[2]].sort());
    },
  },
  {
    name: 'explain ends the stream with the plan and its times',
    async run(stage) {
      const spaceId = await library(stage, facts);
      const request = { message: 'boiler', spaceKeys: [{ spaceId }], explain: true };
      const events = await stage.events('retrieveMemory', request);
      const { status } = events.at(-1);
      expect(status).toMatchObject({
        code: 'EXPLAIN',
        details: { embedMs: expect.any(String), searchMs: expect.any(String), loadMs: expect.any(String) },
      });
      expect(status.details[`space.${spaceId}`]).toMatch(/exact/);
      expect(status.details.candidates).toBe('3');
    },
  },
];
