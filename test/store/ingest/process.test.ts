import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { BackgroundJobStatus, ProcessingStatus } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { failure, sql } from '../identity.fixture.ts';
import { bytes, read, statusOf, useMemoryWorld } from '../memory.fixture.ts';

const world = useMemoryWorld();
let spaceId: string;
beforeAll(async () => {
  spaceId = await world.space();
  world.ingest.start();
});

interface StoredChunk {
  sequence: number;
  text: string;
  from: number;
  to: number;
  status: string;
}

function chunksOf(memoryId: string): Promise<StoredChunk[]> {
  return sql<StoredChunk>(
    world.db,
    `select sequence, text, start_offset as "from", end_offset as "to", vector_status as status from chunk
     where memory_id = $1 order by sequence`,
    [memoryId],
  );
}

async function vectorCounts(id: string): Promise<{ stored: number; counted: number }> {
  const [row] = await sql<{ embedderId: string; counted: number }>(
    world.db,
    'select embedder_id as "embedderId", vector_count as counted from space_embedder where space_id = $1',
    [id],
  );
  const table = `vector_${row?.embedderId.replaceAll('-', '')}`;
  const [stored] = await sql<{ count: number }>(
    world.db,
    `select count(*) as count from ${table} where space_id = $1`,
    [id],
  );
  return { stored: stored?.count ?? -1, counted: row?.counted ?? -1 };
}

describe('processing', () => {
  test('waitMs answers with the completed memory, its chunks, text and vectors', async () => {
    const own = await world.space();
    const memory = await world.remember(own, 'The boiler was serviced on 3 March.', { waitMs: 30_000 });
    expect(statusOf(memory)).toBe('COMPLETED');
    expect(await chunksOf(memory.memoryId)).toEqual([
      { sequence: 0, text: 'The boiler was serviced on 3 March.', from: 0, to: 35, status: 'COMPLETED' },
    ]);
    const text = await world.source('getMemoryText', memory.memoryId);
    expect((await read(text)).toString()).toBe('The boiler was serviced on 3 March.');
    expect(await vectorCounts(own)).toEqual({ stored: 1, counted: 1 });
    const { processingHistory } = await world.processed(memory.memoryId);
    expect(processingHistory?.latestJob).toMatchObject({
      status: BackgroundJobStatus.BACKGROUND_JOB_SUCCEEDED,
      attempts: 1,
    });
    expect(processingHistory?.latestJob?.lockedBy).toBeUndefined();
    expect(processingHistory?.latestJob?.leaseUntil).toBeUndefined();
    expect(processingHistory?.attempts).toHaveLength(1);
    expect(processingHistory?.attempts[0]).toMatchObject({
      ok: true,
      progressCurrent: 1n,
      progressTotal: 1n,
      progressUnit: 'chunks',
    });
    expect(processingHistory?.attempts[0]?.workerId).toMatch(/^.+\/[12]$/);
  });

  test('many chunks in several batches are complete and in order', async () => {
    const own = await world.space();
    const words = Array.from({ length: 700 }, (_, index) => `word${String(index).padStart(4, '0')}`);
    const chunkingConfig = { strategy: { case: 'recursive' as const, value: { chunkSize: 9 } } };
    const { memoryId } = await world.remember(own, words.join(' '), { chunkingConfig });
    expect(statusOf(await world.processed(memoryId))).toBe('COMPLETED');
    const chunks = await chunksOf(memoryId);
    expect(chunks.map(({ sequence }) => sequence)).toEqual(words.map((_, index) => index));
    expect(chunks.map(({ text }) => text.trim())).toEqual(words);
    expect(await vectorCounts(own)).toEqual({ stored: 700, counted: 700 });
  });

  test('text longer than a part keeps its code points whole', async () => {
    const text = 'x€𝄞é '.repeat(200_000);
    const chunkingConfig = { strategy: { case: 'none' as const, value: {} } };
    const { memoryId } = await world.remember(spaceId, text, { chunkingConfig });
    expect(statusOf(await world.processed(memoryId))).toBe('COMPLETED');
    const source = await world.source('getMemoryText', memoryId);
    expect(source.length).toBe(Buffer.byteLength(text));
    expect((await read(source)).toString()).toBe(text);
    const middle = await read(source, 1_048_500, 1_048_700);
    expect(middle.equals(Buffer.from(text).subarray(1_048_500, 1_048_700))).toBe(true);
    const [row] = await sql<{ ok: boolean }>(
      world.db,
      `select bool_and(start_offset = (select coalesce(sum(char_length(data)), 0) from text_part p
         where p.memory_id = t.memory_id and p.part < t.part)) as ok from text_part t where memory_id = $1`,
      [memoryId],
    );
    expect(row?.ok).toBe(true);
  });

  test('NUL characters stay in the content and not in the text', async () => {
    const { memoryId } = await world.remember(spaceId, 'a\0b');
    expect(statusOf(await world.processed(memoryId))).toBe('COMPLETED');
    expect((await read(await world.source('getMemoryContent', memoryId))).toString()).toBe('a\0b');
    expect((await read(await world.source('getMemoryText', memoryId))).toString()).toBe('ab');
  });

  test('content without text is COMPLETED with no chunk', async () => {
    const own = await world.space();
    const { memoryId } = await world.remember(own, '');
    expect(statusOf(await world.processed(memoryId))).toBe('COMPLETED');
    expect(await chunksOf(memoryId)).toEqual([]);
    expect(await read(await world.source('getMemoryText', memoryId))).toHaveLength(0);
    expect(await vectorCounts(own)).toEqual({ stored: 0, counted: 0 });
  });

  test('an unsupported type FAILS at once, and its content can be read', async () => {
    const memory = await world.memory('createMemory', {
      spaceId,
      contentType: 'application/x-thing',
      originalContent: bytes('?'),
    });
    const failed = await world.processed(memory.memoryId);
    expect(statusOf(failed)).toBe('FAILED');
    const { latestJob, attempts } = failed.processingHistory ?? {};
    expect(latestJob).toMatchObject({ status: BackgroundJobStatus.BACKGROUND_JOB_FAILED, attempts: 1 });
    expect(attempts?.[0]?.ok).toBe(false);
    expect(attempts?.[0]?.errorMessage).toMatch(/^Unsupported content type: application\/x-thing/);
    expect(attempts?.[0]?.errorStacktrace).toBeUndefined();
    const { processingHistory } = await world.memory(
      'getMemory',
      { memoryId: memory.memoryId, includeProcessingHistory: true },
      world.admin,
    );
    expect(processingHistory?.attempts[0]?.errorStacktrace).toContain('Unsupported content type');
    expect((await read(await world.source('getMemoryContent', memory.memoryId))).toString()).toBe('?');
    expect(await failure(world.source('getMemoryText', memory.memoryId))).toMatch(/^NOT_FOUND /);
  });

  test.each([
    ['application/x-thing', 'Unsupported content type: application/x-thing'],
    ['text/plain', 'Content is PDF, declared text/plain'],
  ])('large content of type %s that has no text fails after its first part', async (contentType, message) => {
    const query = vi.spyOn(world.db.background, 'query');
    onTestFinished(() => query.mockRestore());
    const { memoryId } = await world.remember(spaceId, `%PDF-${'x'.repeat(3_000_000)}`, { contentType });
    const failed = await world.processed(memoryId);
    expect(failed.processingHistory?.attempts[0]?.errorMessage).toContain(message);
    const read = query.mock.calls.filter(([{ name }]) => name === 'content.select_slice');
    expect(read.map(([, values]) => values?.[2])).toEqual([0]);
  });

  test('deleting removes chunks, vectors and jobs and keeps the counts right', async () => {
    const own = await world.space();
    const kept = await world.remember(own, 'kept', { waitMs: 30_000 });
    const gone = await world.remember(own, 'gone', { waitMs: 30_000 });
    expect(await vectorCounts(own)).toEqual({ stored: 2, counted: 2 });
    await world.memory('deleteMemory', { memoryId: gone.memoryId });
    expect(await vectorCounts(own)).toEqual({ stored: 1, counted: 1 });
    for (const table of ['chunk', 'text_part', 'memory']) {
      const rows = await sql<{ memory_id: string }>(world.db, `select memory_id from ${table} where space_id = $1`, [
        own,
      ]);
      expect(rows).toEqual([{ memory_id: kept.memoryId }]);
    }
    expect(await sql(world.db, 'select part from content_part where space_id = $1', [own])).toHaveLength(1);
    const again = failure(world.memory('deleteMemory', { memoryId: gone.memoryId }));
    expect(await again).toBe(`NOT_FOUND | Memory not found: ${gone.memoryId}`);
  });

  test('a batch waits for all of its items', async () => {
    const item = (text: string) => ({ spaceId, contentType: 'text/plain', originalContent: bytes(text) });
    const { results } = await world.memory('batchCreateMemory', {
      requests: Array.from({ length: 20 }, (_, index) => item(`text ${index}`)),
      waitMs: 30_000,
    });
    expect(results.map(({ memory }) => memory?.processingStatus)).toEqual(
      results.map(() => ProcessingStatus.COMPLETED),
    );
  });
});
