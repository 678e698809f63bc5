import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { raw } from '../../support/raw-rest.ts';
import type { Json } from '../../support/wire.ts';
import type { Scenario } from '../scenario.fixture.ts';

export const reprocessing: readonly Scenario[] = [
  {
    name: 'a COMPLETED memory is PENDING again and replaces what it had',
    async run(stage) {
      const admin = await stage.person('ADMIN');
      const words = 'one two three four five six seven eight nine ten';
      const chunkingConfig = { recursive: { chunkSize: 10 } };
      const { memoryId, spaceId } = await stage.memory({ originalContent: words, chunkingConfig });
      const before = await stage.ok('getMemory', { memoryId, includeProcessingHistory: true });
      const old = (await stage.ok('listChunks', { memoryId, includeVectors: true })).chunks;
      const again = await stage.ok('reprocessMemory', { memoryId }, admin.key);
      const { processingHistory, ...record } = before;
      const moved = { updatedAt: expect.any(Number), updatedById: admin.userId };
      expect(again).toEqual({ ...record, processingStatus: 'PENDING', ...moved });
      expect(await stage.processed(memoryId)).toEqual({ ...record, ...moved });

      const { chunks } = await stage.ok('listChunks', { memoryId, includeVectors: true });
      const comparable = ({ chunkText, startOffset, endOffset, vectors }: Json) => [
        chunkText,
        startOffset,
        endOffset,
        vectors,
      ];
      expect(chunks.length).toBeGreaterThan(3);
      expect(chunks.map(comparable)).toEqual(old.map(comparable));
      const ids = new Set([...old, ...chunks].map(({ chunkId }: Json) => chunkId));
      expect(ids.size).toBe(old.length + chunks.length);
      expect((await stage.ok('getMemoryText', { memoryId })).data.toString()).toBe(words);
      const found = await stage.events('retrieveMemory', {
        message: 'seven',
        spaceKeys: [{ spaceId }],
        requestedSize: 50,
      });
      expect(found.filter(({ retrievedItem }) => retrievedItem !== undefined)).toHaveLength(chunks.length);

      const { processingHistory: history } = await stage.ok('getMemory', { memoryId, includeProcessingHistory: true });
      expect(history.latestJob).toMatchObject({ status: 'BACKGROUND_JOB_SUCCEEDED', attempts: 1, maxAttempts: 5 });
      expect(history.latestJob.jobId).toBeGreaterThan(processingHistory.latestJob.jobId);
      expect(history.attempts.map(({ jobId }: Json) => jobId)).toEqual([
        history.latestJob.jobId,
        processingHistory.latestJob.jobId,
      ]);
    },
  },
  {
    name: 'a FAILED memory is tried again; without a body or with an empty one',
    async run(stage) {
      const { memoryId } = await stage.memory({ contentType: 'application/x-unknown' });
      for (const request of [{}, { body: '{}', headers: { 'content-type': 'application/json' } }]) {
        await stage.processed(memoryId);
        const answer = await raw(stage.server, `POST /v1/memories/${memoryId}:reprocess`, {
          key: stage.caller.key,
          ...request,
        });
        expect(answer).toMatchObject({ status: 200, json: { memoryId, processingStatus: 'PENDING' } });
        expect(answer.json).not.toHaveProperty('failureReason');
      }
      const failed = await stage.processed(memoryId);
      expect(failed).toMatchObject({
        processingStatus: 'FAILED',
        failureReason: expect.stringMatching(/^Unsupported/),
      });
      const { processingHistory } = await stage.ok('getMemory', { memoryId, includeProcessingHistory: true });
      expect(processingHistory.attempts.map(({ ok }: Json) => ok)).toEqual([false, false, false]);
      const odd = { memoryId, force: true };
      await stage.refused('reprocessMemory', odd, 'INVALID_ARGUMENT', { details: 'force: unknown field' });
    },
  },
  {
    name: 'of concurrent calls one succeeds; the others are refused because it is being processed',
    async run(stage) {
      const { memoryId } = await stage.memory({ originalContent: 'word '.repeat(20_000) });
      const call = () => stage.wire.call('reprocessMemory', { memoryId }, { key: stage.caller.key });
      const answers = await Promise.all([call(), call(), call(), call()]);
      const lost = answers.filter((answer) => !answer.ok);
      for (const answer of lost) {
        expect(answer).toMatchObject({ code: 'FAILED_PRECONDITION' });
        expect(answer).not.toMatchObject({ details: expect.stringMatching(/COMPLETED|FAILED/) });
      }
      expect(lost.length).toBeLessThan(answers.length);
      await stage.processed(memoryId);
      const { processingHistory } = await stage.ok('getMemory', { memoryId, includeProcessingHistory: true });
      const jobs = new Set(processingHistory.attempts.map(({ jobId }: Json) => jobId));
      expect(jobs.size).toBe(1 + answers.length - lost.length);
    },
  },
  {
    name: 'permissions to reprocess',
    async run(stage) {
      const ada = await stage.person();
      const bob = await stage.person();
      const { memoryId, spaceId } = await stage.memory({}, ada.key);
      await stage.ok('updateSpace', { spaceId, publicRead: true });
      await stage.refused('reprocessMemory', { memoryId }, 'PERMISSION_DENIED', { as: bob.key });
      const readOnly = await stage.key({ restrictions: { readOnly: true } }, ada.key);
      await stage.refused('reprocessMemory', { memoryId }, 'PERMISSION_DENIED', { as: readOnly });
      const ghost = randomUUID();
      await stage.refused('reprocessMemory', { memoryId: ghost }, 'NOT_FOUND', {
        message: `Memory not found: ${ghost}`,
      });
      await stage.refused('reprocessMemory', { memoryId: 'x' }, 'INVALID_ARGUMENT', { details: 'memoryId' });
      const bound = await stage.key({ restrictions: { spaceIds: [spaceId] } }, ada.key);
      await stage.ok('reprocessMemory', { memoryId }, bound);
    },
  },
];
