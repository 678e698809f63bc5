import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Scenario } from '../scenario.fixture.ts';

const BOILER = 'The boiler was serviced on 3 March.';
const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');

export const memories: readonly Scenario[] = [
  {
    name: 'create answers with a PENDING record, which ends COMPLETED',
    async run(stage) {
      const { spaceId } = await stage.space();
      const metadata = { room: 'cellar', tags: ['heating'], nested: { deep: { n: 1.5, none: null } } };
      const request = { spaceId, contentType: 'text/plain', originalContent: BOILER, metadata };
      const created = await stage.ok('createMemory', { ...request, originalContentRef: 'notes/boiler.txt' });
      expect(created).toEqual({
        memoryId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        spaceId,
        originalContentLength: 35,
        originalContentSha256: sha256(BOILER),
        originalContentRef: 'notes/boiler.txt',
        contentType: 'text/plain',
        processingStatus: 'PENDING',
        pageImageStatus: 'PENDING',
        pageImageCount: 0,
        metadata,
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
        createdById: stage.caller.userId,
        updatedById: stage.caller.userId,
      });
      const done = await stage.processed(created.memoryId);
      expect(done).toEqual({ ...created, processingStatus: 'COMPLETED', updatedAt: done.updatedAt });
      expect(done.updatedAt).toBeGreaterThanOrEqual(created.createdAt);
    },
  },
  {
    name: 'waitMs gives the answer when processing has ended',
    async run(stage) {
      const memory = await stage.memory({ originalContent: BOILER });
      expect(memory.processingStatus).toBe('COMPLETED');
      const { spaceId } = memory;
      for (const waitMs of [-1, 60_001]) {
        const request = { spaceId, contentType: 'text/plain', originalContent: 'x', waitMs };
        await stage.refused('createMemory', request, 'INVALID_ARGUMENT', { details: 'waitMs' });
      }
    },
  },
  {
    name: 'content comes back byte for byte, text as it was extracted',
    async run(stage) {
      const bytes = Buffer.concat([Buffer.from('a\0b\r\n\u00e9 \u{1f600} '), Buffer.from('end')]);
      const memory = await stage.memory({ originalContentB64: bytes.toString('base64') });
      expect(memory.originalContentSha256).toBe(sha256(bytes));
      const { memoryId } = memory;
      const content = await stage.ok('getMemoryContent', { memoryId });
      expect(content.contentType).toBe('text/plain');
      expect(Buffer.compare(content.data, bytes)).toBe(0);
      const text = await stage.ok('getMemoryText', { memoryId });
      expect(text.contentType).toBe('text/plain; charset=utf-8');
      expect(text.data.toString()).toBe(bytes.toString().replaceAll('\0', ''));
      const withContent = await stage.ok('getMemory', { memoryId, includeContent: true });
      expect(Buffer.compare(Buffer.from(withContent.originalContent, 'base64'), bytes)).toBe(0);
      expect(await stage.ok('getMemory', { memoryId })).not.toHaveProperty('originalContent');
    },
  },
  {
    name: 'an empty document is a document',
    async run(stage) {
      const memory = await stage.memory({ originalContent: '' });
      expect(memory).toMatchObject({ originalContentLength: 0, processingStatus: 'COMPLETED' });
      const content = await stage.ok('getMemoryContent', { memoryId: memory.memoryId });
      expect(content.data).toHaveLength(0);
      const text = await stage.ok('getMemoryText', { memoryId: memory.memoryId });
      expect(text.data).toHaveLength(0);
    },
  },
  {
    name: 'bad requests are refused with their fields',
    async run(stage) {
      const { spaceId } = await stage.space();
      const good = { spaceId, contentType: 'text/plain', originalContent: 'x' };
      const bad: [object, string][] = [
        [{ contentType: undefined }, 'contentType'],
        [{ contentType: 'text' }, 'contentType'],
        [{ originalContent: undefined }, 'originalContent'],
        [{ spaceId: 'x' }, 'spaceId'],
        [{ memoryId: 'x' }, 'memoryId'],
        [{ originalContentRef: 'x'.repeat(4097) }, 'originalContentRef'],
        [{ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, n])) }, 'metadata'],
        [{ metadata: { big: 'x'.repeat(262_145) } }, 'metadata'],
        [{ metadata: { nul: { deep: ['a\0'] } } }, 'metadata'],
        [{ metadata: { 'nul\0': 1 } }, 'metadata'],
        [{ expiresAt: Date.now() - 1000 }, 'expiresAt'],
        [{ chunkingConfig: { recursive: { chunkSize: 0 } } }, 'chunkingConfig'],
        [{ fileField: 'file' }, 'fileField'],
      ];
      for (const [more, details] of bad) {
        await stage.refused('createMemory', { ...good, ...more }, 'INVALID_ARGUMENT', { details });
      }
      const ghost = randomUUID();
      await stage.refused('createMemory', { ...good, spaceId: ghost }, 'NOT_FOUND', {
        message: `Space not found: ${ghost}`,
      });
    },
  },
  {
    name: 'an id that the client gives makes a create idempotent',
    async run(stage) {
      const memoryId = randomUUID();
      const memory = await stage.memory({ memoryId: memoryId.toUpperCase() });
      expect(memory.memoryId).toBe(memoryId);
      const again = { memoryId, spaceId: memory.spaceId, contentType: 'text/plain', originalContent: 'other' };
      await stage.refused('createMemory', again, 'ALREADY_EXISTS');
      const content = await stage.ok('getMemoryContent', { memoryId });
      expect(sha256(content.data)).toBe(memory.originalContentSha256);
    },
  },
  {
    name: 'an unsupported content type ends FAILED, with a reason, and keeps its content',
    async run(stage) {
      const bytes = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3]);
      const memory = await stage.memory({
        contentType: 'application/x-executable',
        originalContentB64: bytes.toString('base64'),
      });
      expect(memory.processingStatus).toBe('FAILED');
      const { memoryId } = memory;
      const record = await stage.ok('getMemory', { memoryId, includeProcessingHistory: true });
      const reason = record.processingHistory.latestJob.lastError;
      expect(reason).toMatch(/^Unsupported content type: application\/x-exec/);
      expect(record.failureReason).toBe(reason);
      const { memories } = await stage.ok('listMemories', { spaceId: record.spaceId, statusFilter: 'FAILED' });
      expect(memories).toMatchObject([{ memoryId, failureReason: reason }]);
      expect(record.processingHistory).toMatchObject({
        latestJob: { jobType: 'document_processor', status: 'BACKGROUND_JOB_FAILED', attempts: 1, maxAttempts: 5 },
        attempts: [
          { ok: false, errorMessage: expect.stringContaining('Unsupported content type: application/x-exec') },
        ],
      });
      expect(Buffer.compare((await stage.ok('getMemoryContent', { memoryId })).data, bytes)).toBe(0);
      await stage.refused('getMemoryText', { memoryId }, 'NOT_FOUND');
    },
  },
  {
    name: 'the history of a COMPLETED memory, as documented',
    async run(stage) {
      const { memoryId } = await stage.memory({ originalContent: BOILER });
      const { processingHistory } = await stage.ok('getMemory', { memoryId, includeProcessingHistory: true });
      const { latestJob, attempts } = processingHistory;
      expect(latestJob).toMatchObject({
        jobId: expect.any(Number),
        jobType: 'document_processor',
        status: 'BACKGROUND_JOB_SUCCEEDED',
        attempts: 1,
        maxAttempts: 5,
      });
      expect(attempts).toMatchObject([
        {
          attemptId: expect.any(Number),
          jobId: latestJob.jobId,
          startedAt: expect.any(Number),
          finishedAt: expect.any(Number),
          ok: true,
          progressCurrent: 1,
          progressTotal: 1,
          progressUnit: 'chunks',
        },
      ]);
      expect(await stage.ok('getMemory', { memoryId })).not.toHaveProperty('processingHistory');
    },
  },
  {
    name: 'the stack of a failure is shown only to those who may read everything',
    async run(stage) {
      const ada = await stage.person();
      const { spaceId } = await stage.space({}, ada.key);
      const request = { spaceId, contentType: 'application/x-unknown', originalContent: 'x', waitMs: 30_000 };
      const { memoryId } = await stage.ok('createMemory', request, ada.key);
      const mine = await stage.ok('getMemory', { memoryId, includeProcessingHistory: true }, ada.key);
      expect(mine.processingHistory.attempts[0]).toHaveProperty('errorMessage');
      expect(mine.processingHistory.attempts[0]).not.toHaveProperty('errorStacktrace');
    },
  },
  {
    name: 'expiry: by the space, by the memory, or never; an expired memory is NOT_FOUND at once',
    async run(stage) {
      const day = 86_400_000;
      const { spaceId } = await stage.space({ retentionDays: 2 });
      const brief = { spaceId, contentType: 'text/plain', originalContent: 'x' };
      const create = (more: object) => stage.ok('createMemory', { ...brief, ...more });
      const kept = await create({});
      expect(Math.abs(kept.expiresAt - (Date.now() + 2 * day))).toBeLessThan(day / 24);
      expect(await create({ expiresAt: 0 })).not.toHaveProperty('expiresAt');
      const { memoryId, expiresAt } = await stage.expiring('createMemory', brief);
      await stage.untilRefused('getMemory', { memoryId }, 'NOT_FOUND');
      expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
      const { memories: listed } = await stage.ok('listMemories', { spaceId });
      expect(listed.map((memory: { memoryId: string }) => memory.memoryId)).not.toContain(memoryId);
      await stage.refused('getMemoryContent', { memoryId }, 'NOT_FOUND');
    },
  },
  {
    name: 'a second delete is NOT_FOUND',
    async run(stage) {
      const { memoryId, spaceId } = await stage.memory({});
      await stage.ok('deleteMemory', { memoryId });
      const message = `Memory not found: ${memoryId}`;
      for (const operation of ['deleteMemory', 'getMemory', 'getMemoryContent', 'getMemoryText'] as const) {
        await stage.refused(operation, { memoryId }, 'NOT_FOUND', { message });
      }
      expect((await stage.ok('listMemories', { spaceId })).memories).toEqual([]);
    },
  },
  {
    name: 'deleting a space deletes its memories, also those in processing',
    async run(stage) {
      const { spaceId } = await stage.space();
      const ids: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        const request = { spaceId, contentType: 'text/plain', originalContent: BOILER };
        ids.push((await stage.ok('createMemory', request)).memoryId);
      }
      await stage.ok('deleteSpace', { spaceId });
      for (const memoryId of ids) await stage.refused('getMemory', { memoryId }, 'NOT_FOUND');
      await stage.refused('listMemories', { spaceId }, 'NOT_FOUND');
    },
  },
  {
    name: 'memories of other users are PERMISSION_DENIED; those of a public space are read only',
    async run(stage) {
      const ada = await stage.person();
      const { spaceId, memoryId } = await stage.memory({});
      const as = ada.key;
      const reads = ['getMemory', 'getMemoryContent', 'getMemoryText'] as const;
      for (const operation of reads) await stage.refused(operation, { memoryId }, 'PERMISSION_DENIED', { as });
      await stage.refused('listMemories', { spaceId }, 'PERMISSION_DENIED', { as });
      await stage.ok('updateSpace', { spaceId, publicRead: true });
      for (const operation of reads) await stage.ok(operation, { memoryId }, as);
      expect((await stage.ok('listMemories', { spaceId }, as)).memories).toHaveLength(1);
      await stage.refused('deleteMemory', { memoryId }, 'PERMISSION_DENIED', { as });
      const write = { spaceId, contentType: 'text/plain', originalContent: 'x' };
      await stage.refused('createMemory', write, 'PERMISSION_DENIED', { as });
      const bound = await stage.key({ restrictions: { spaceIds: [(await stage.space()).spaceId] } });
      await stage.refused('getMemory', { memoryId }, 'PERMISSION_DENIED', { as: bound });
    },
  },
];
