import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Stage } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';
import type { Scenario } from '../scenario.fixture.ts';

/** A memory of as many chunks as there are words. */
function worded(stage: Stage, spaceId: string, words: readonly string[], more: object = {}): Promise<Json> {
  const chunkingConfig = { recursive: { chunkSize: Math.max(...words.map((word) => word.length)) + 1 } };
  return stage.memory({ spaceId, originalContent: words.join(' '), chunkingConfig, ...more });
}

const WORDS = ['alpha', 'bravo', 'gamma', 'delta', 'omega'];
const placeOf = ({ memoryId, chunkSequenceNumber }: Json) => `${memoryId}/${chunkSequenceNumber}`;

export const chunks: readonly Scenario[] = [
  {
    name: 'a chunk is described as documented',
    async run(stage) {
      const memory = await stage.memory({ originalContent: 'The boiler was serviced on 3 March.' });
      const { memoryId } = memory;
      const answer = await stage.ok('listChunks', { memoryId });
      expect(answer).toEqual({
        chunks: [
          {
            chunkId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
            memoryId,
            chunkSequenceNumber: 0,
            chunkText: 'The boiler was serviced on 3 March.',
            vectorStatus: 'COMPLETED',
            startOffset: 0,
            endOffset: 35,
            createdAt: expect.any(Number),
            updatedAt: expect.any(Number),
            createdById: memory.createdById,
            updatedById: memory.updatedById,
          },
        ],
        nextToken: null,
      });
      expect(await stage.ok('listChunks', { spaceId: memory.spaceId })).toEqual(answer);
    },
  },
  {
    name: 'a chunk of several lines says which one it starts in, if they are those of the document',
    async run(stage) {
      const chunkingConfig = { recursive: { chunkSize: 6, separators: ['\n'] } };
      const originalContent = 'alpha\nbravo\n\ngamma\n';
      const linesOf = async (contentType: string) => {
        const { memoryId } = await stage.memory({ originalContent, contentType, chunkingConfig });
        const { chunks } = await stage.ok('listChunks', { memoryId });
        return chunks.map(({ metadata }: Json) => metadata);
      };
      const expected = [1, 2, 4].map((line) => ({ source_line_start: line }));
      expect(await linesOf('text/plain')).toEqual(expected);
      expect(await linesOf('text/markdown')).toEqual(expected);
      expect(new Set(await linesOf('text/html'))).toEqual(new Set([undefined]));
    },
  },
  {
    name: 'by memory and sequence, in pages without gap or overlap',
    async run(stage) {
      const { spaceId } = await stage.space();
      const ids: string[] = [];
      for (let n = 0; n < 3; n += 1) ids.push((await worded(stage, spaceId, WORDS)).memoryId);
      const all = (await stage.ok('listChunks', { spaceId })).chunks;
      const expected = [...ids].sort().flatMap((memoryId) => WORDS.map((_, n) => `${memoryId}/${n}`));
      expect(all.map(placeOf)).toEqual(expected);
      for (const [scope, wanted] of [
        [{ spaceId }, all],
        [{ memoryId: ids[1] }, all.filter(({ memoryId }: Json) => memoryId === ids[1])],
      ]) {
        for (const maxResults of [1, 4]) {
          const seen: Json[] = [];
          let nextToken: string | null | undefined;
          do {
            const page = await stage.ok('listChunks', { ...scope, maxResults, nextToken });
            expect(page.chunks.length).toBeLessThanOrEqual(maxResults);
            seen.push(...page.chunks);
            nextToken = page.nextToken;
          } while (nextToken !== null);
          expect(seen).toEqual(wanted);
        }
      }
      expect((await stage.ok('listChunks', { spaceId, maxResults: 0 })).chunks).toHaveLength(1);
      expect((await stage.ok('listChunks', { spaceId, maxResults: 1_000_000 })).chunks).toHaveLength(15);
    },
  },
  {
    name: 'vectors come as stored, one for each embedder, when asked for',
    async run(stage) {
      const first = await stage.embedder();
      const admin = await stage.person('ADMIN');
      const small = { providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 16 };
      const { embedderId: second } = await stage.ok('createEmbedder', { displayName: 'Small', ...small }, admin.key);
      const spaceEmbedders = [{ embedderId: first }, { embedderId: second }];
      const { spaceId } = await stage.space({ embedderId: undefined, spaceEmbedders });
      const { memoryId } = await worded(stage, spaceId, WORDS);
      const { chunks: listed } = await stage.ok('listChunks', { memoryId, includeVectors: true });
      expect(listed).toHaveLength(WORDS.length);
      for (const { vectors } of listed) {
        expect(vectors.map(({ embedderId }: Json) => embedderId)).toEqual([first, second]);
        expect(vectors.map(({ values }: Json) => values.length)).toEqual([256, 16]);
        for (const { values } of vectors) expect(Math.hypot(...values)).toBeCloseTo(1, 2);
      }
      expect(new Set(listed.map(({ vectors }: Json) => JSON.stringify(vectors[0].values))).size).toBe(WORDS.length);
      const page = await stage.ok('listChunks', { spaceId, includeVectors: true, maxResults: 2 });
      expect(page.chunks).toEqual(listed.slice(0, 2));
      // Whether vectors are shown does not select chunks: the list goes on without them.
      const rest = await stage.ok('listChunks', { spaceId, nextToken: page.nextToken });
      expect(rest.chunks.map(placeOf)).toEqual(listed.slice(2).map(placeOf));
      expect(rest.chunks[0]).not.toHaveProperty('vectors');
    },
  },
  {
    name: 'expired, failed, empty and deleted memories have no chunks',
    async run(stage) {
      const { spaceId } = await stage.space();
      const kept = await worded(stage, spaceId, WORDS.slice(0, 2));
      const failed = await stage.memory({ spaceId, contentType: 'application/x-unknown' });
      const empty = await stage.memory({ spaceId, originalContent: '' });
      const gone = await worded(stage, spaceId, WORDS);
      await stage.ok('deleteMemory', { memoryId: gone.memoryId });
      const { memoryId } = await worded(stage, spaceId, WORDS);
      await stage.expiring('updateMemory', { memoryId });
      for (const none of [failed, empty]) {
        expect(await stage.ok('listChunks', { memoryId: none.memoryId })).toEqual({ chunks: [], nextToken: null });
      }
      await stage.refused('listChunks', { memoryId: gone.memoryId }, 'NOT_FOUND');
      await stage.untilRefused('getMemory', { memoryId }, 'NOT_FOUND');
      await stage.refused('listChunks', { memoryId }, 'NOT_FOUND');
      const listed = (await stage.ok('listChunks', { spaceId, includeVectors: true })).chunks;
      expect(listed.map(placeOf)).toEqual([`${kept.memoryId}/0`, `${kept.memoryId}/1`]);
    },
  },
  {
    name: 'permissions to read them, and invalid requests',
    async run(stage) {
      const ada = await stage.person();
      const bob = await stage.person();
      const { memoryId, spaceId } = await stage.memory({}, ada.key);
      const scopes = [{ memoryId }, { spaceId }];
      const other = await stage.space({}, ada.key);
      const bound = await stage.key({ restrictions: { spaceIds: [spaceId] } }, ada.key);
      const elsewhere = await stage.key({ restrictions: { spaceIds: [other.spaceId] } }, ada.key);
      const readOnly = await stage.key({ restrictions: { readOnly: true } }, ada.key);
      for (const scope of scopes) {
        for (const key of [ada.key, bound, readOnly, stage.caller.key]) await stage.ok('listChunks', scope, key);
        for (const as of [bob.key, elsewhere]) await stage.refused('listChunks', scope, 'PERMISSION_DENIED', { as });
      }
      await stage.ok('updateSpace', { spaceId, publicRead: true });
      for (const scope of scopes) {
        expect((await stage.ok('listChunks', scope, bob.key)).chunks).toHaveLength(1);
        await stage.refused('listChunks', scope, 'PERMISSION_DENIED', { as: elsewhere });
      }
      const ghost = randomUUID();
      await stage.refused('listChunks', { memoryId: ghost }, 'NOT_FOUND', { message: `Memory not found: ${ghost}` });
      await stage.refused('listChunks', { spaceId: ghost }, 'NOT_FOUND', { message: `Space not found: ${ghost}` });
      await stage.refused('listChunks', { spaceId: 'x' }, 'INVALID_ARGUMENT', { details: 'spaceId' });
      if (stage.wire.name === 'gRPC') {
        await stage.refused('listChunks', {}, 'INVALID_ARGUMENT', { details: 'memoryId' });
      }
    },
  },
];
