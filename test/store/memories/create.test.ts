import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { timestampFromMs, timestampToMs } from '../../../src/shared/time.ts';
import { failure, sql, UNKNOWN_ID } from '../identity.fixture.ts';
import { bytes, MAX_CONTENT, read, statusOf, upload, useMemoryWorld } from '../memory.fixture.ts';

const world = useMemoryWorld();
let spaceId: string;
beforeAll(async () => {
  spaceId = await world.space();
});

describe('create', () => {
  test('stores the record, its content and a job', async () => {
    const memory = await world.remember(spaceId, 'The boiler was serviced on 3 March.', {
      metadata: { room: 'cellar', tags: ['heating'], deep: { n: 1.5, no: null } },
      originalContentRef: 'notes/boiler.txt',
    });
    expect(statusOf(memory)).toBe('PENDING');
    expect(memory).toMatchObject({
      spaceId,
      contentType: 'text/plain',
      originalContentLength: 35n,
      originalContentSha256: createHash('sha256').update('The boiler was serviced on 3 March.').digest('hex'),
      originalContentRef: 'notes/boiler.txt',
      metadata: { room: 'cellar', tags: ['heating'], deep: { n: 1.5, no: null } },
      createdById: world.ada.userId,
      updatedById: world.ada.userId,
    });
    expect(memory.originalContent).toBeUndefined();
    expect(memory.chunkingConfig).toBeUndefined();
    const got = await world.memory('getMemory', {
      memoryId: memory.memoryId,
      includeContent: true,
      includeProcessingHistory: true,
    });
    expect(Buffer.from(got.originalContent ?? []).toString()).toBe('The boiler was serviced on 3 March.');
    expect(got.processingHistory?.latestJob).toMatchObject({
      jobType: 'document_processor',
      attempts: 0,
      maxAttempts: 5,
    });
    expect(got.processingHistory?.attempts).toEqual([]);
  });

  test('empty content counts as given', async () => {
    const memory = await world.remember(spaceId, '');
    expect(memory.originalContentLength).toBe(0n);
    const source = await world.source('getMemoryContent', memory.memoryId);
    expect(await read(source)).toHaveLength(0);
  });

  test('create-if-absent: a taken id is refused, for every caller', async () => {
    const memoryId = crypto.randomUUID();
    const memory = await world.remember(spaceId, 'one', { memoryId });
    expect(memory.memoryId).toBe(memoryId);
    expect(await failure(world.remember(spaceId, 'two', { memoryId }))).toMatch(/^ALREADY_EXISTS /);
    expect(await failure(world.remember(await world.space(), 'two', { memoryId }))).toMatch(/^ALREADY_EXISTS /);
    const source = await world.source('getMemoryContent', memoryId);
    expect((await read(source)).toString()).toBe('one');
  });

  test('an expired memory is NOT_FOUND for every caller and its id is free', async () => {
    const soon = Date.now() + 3_600_000;
    const memory = await world.remember(spaceId, 'old', { expiresAt: timestampFromMs(soon) });
    const { memoryId } = memory;
    await sql(world.db, `update memory set expires_at = now() - interval '1 second' where memory_id = $1`, [memoryId]);
    expect(await failure(world.memory('getMemory', { memoryId }))).toBe(`NOT_FOUND | Memory not found: ${memoryId}`);
    expect(await failure(world.memory('deleteMemory', { memoryId }))).toMatch(/^NOT_FOUND /);
    const list = await world.memory('listMemories', { spaceId, maxResults: 500 });
    expect(list.memories.map((item) => item.memoryId)).not.toContain(memoryId);
    const again = await world.remember(spaceId, 'new', { memoryId });
    expect(again.expiresAt).toBeUndefined();
    const parts = await sql<{ data: Buffer }>(
      world.db,
      'select p.data from content_part p join memory m using (space_id, content_id) where m.memory_id = $1',
      [memoryId],
    );
    expect(parts.map(({ data }) => data.toString())).toEqual(['new']);
  });

  test('expiry: the past is refused, 0 is never, and the space has a default', async () => {
    const past = { expiresAt: timestampFromMs(Date.now() - 1000) };
    expect(await failure(world.remember(spaceId, 'x', past))).toMatch(/INVALID_ARGUMENT .*expiresAt: is in the past/);
    const kept = await world.space({ retentionDays: 10 });
    const before = Date.now();
    const memory = await world.remember(kept, 'x');
    const expires = timestampToMs(memory.expiresAt ?? timestampFromMs(0));
    expect(expires).toBeGreaterThanOrEqual(before + 10 * 86_400_000);
    expect(expires).toBeLessThanOrEqual(Date.now() + 10 * 86_400_000);
    expect((await world.remember(kept, 'x', { expiresAt: timestampFromMs(0) })).expiresAt).toBeUndefined();
  });

  test('reports invalid fields', async () => {
    const base = { spaceId, contentType: 'text/plain' };
    expect(await failure(world.memory('createMemory', base))).toMatch(/originalContent: is required/);
    const content = { ...base, originalContent: bytes('x') };
    expect(await failure(world.memory('createMemory', { ...content, fileField: 'f' }))).toMatch(
      /fileField: is allowed only in a multipart/,
    );
    const chunkingConfig = { strategy: { case: 'recursive' as const, value: { chunkSize: 5, chunkOverlap: 5 } } };
    expect(await failure(world.memory('createMemory', { ...content, chunkingConfig }))).toMatch(
      /chunkingConfig.recursive.chunkOverlap/,
    );
    expect(await failure(world.memory('createMemory', { ...content, spaceId: UNKNOWN_ID }))).toBe(
      `NOT_FOUND | Space not found: ${UNKNOWN_ID}`,
    );
    expect(await failure(world.memory('createMemory', content, world.bob))).toMatch(/^PERMISSION_DENIED /);
  });

  test("a memory's own chunking config is kept and shown with all its fields", async () => {
    const chunkingConfig = { strategy: { case: 'recursive' as const, value: { chunkSize: 20 } } };
    const memory = await world.remember(spaceId, 'x', { chunkingConfig });
    expect(memory.chunkingConfig?.strategy).toMatchObject({
      case: 'recursive',
      value: { chunkSize: 20, chunkOverlap: 0, separators: ['\n\n', '\n', ' ', ''] },
    });
  });
});

describe('content in parts', () => {
  const MIB = 1_048_576;

  test.each([MIB - 1, MIB, MIB + 1, 2 * MIB, 3 * MIB + 17])('%i bytes come back, whole and in ranges', async (size) => {
    const content = randomBytes(size);
    const memory = await world.memory('createMemory', {
      spaceId,
      contentType: 'application/octet-stream',
      originalContent: content,
    });
    expect(memory.originalContentSha256).toBe(createHash('sha256').update(content).digest('hex'));
    const source = await world.source('getMemoryContent', memory.memoryId);
    expect(source).toMatchObject({ contentType: 'application/octet-stream', length: size });
    expect((await read(source)).equals(content)).toBe(true);
    for (const [start, end] of [
      [0, 1],
      [size - 1, size],
      [MIB - 2, Math.min(size, MIB + 2)],
      [17, size - 17],
    ] as const) {
      expect((await read(source, start, end)).equals(content.subarray(start, end))).toBe(true);
    }
    const lengths = await sql<{ length: number }>(
      world.db,
      `select octet_length(data) as length from content_part p join memory m using (space_id, content_id)
       where m.memory_id = $1 order by part`,
      [memory.memoryId],
    );
    expect(Math.max(...lengths.map(({ length }) => length))).toBeLessThanOrEqual(MIB);
    expect(await sql(world.db, 'select 1 from content_staging')).toEqual([]);
  });

  test('more than the limit is refused and nothing stays', async () => {
    const before = await counts();
    const request = { spaceId, contentType: 'text/plain', originalContent: new Uint8Array(MAX_CONTENT + 1) };
    expect(await failure(world.memory('createMemory', request))).toMatch(/^PAYLOAD_TOO_LARGE /);
    const files = upload({ bytes: new Uint8Array(MAX_CONTENT + 1) });
    const multipart = world.memory('createMemory', { spaceId, contentType: 'text/plain' }, world.ada, { files });
    expect(await failure(multipart)).toMatch(/^PAYLOAD_TOO_LARGE /);
    expect(await counts()).toEqual(before);
  });

  async function counts() {
    const [row] = await sql<{ parts: number; staging: number }>(
      world.db,
      `select (select count(*) from content_part) as parts, (select count(*) from content_staging) as staging`,
    );
    return row;
  }
});

describe('multipart', () => {
  const create = (request: object, ...files: Parameters<typeof upload>) =>
    world.memory('createMemory', { spaceId, ...request }, world.ada, { files: upload(...files) });

  test('takes type and name from the file part, unless the client says otherwise', async () => {
    const file = { bytes: bytes('# Boiler'), filename: 'boiler.md', contentType: 'text/markdown' };
    const memory = await create({ metadata: { room: 'cellar' } }, file);
    expect(memory).toMatchObject({ contentType: 'text/markdown', metadata: { room: 'cellar', filename: 'boiler.md' } });
    const other = await create({ contentType: 'text/plain', metadata: { filename: 'mine' } }, file);
    expect(other).toMatchObject({ contentType: 'text/plain', metadata: { filename: 'mine' } });
  });

  test('a large file arrives in small pieces and is stored in parts', async () => {
    const content = randomBytes(2_500_000);
    const memory = await create({ contentType: 'application/pdf' }, { bytes: content, pieceBytes: 10_007 });
    const source = await world.source('getMemoryContent', memory.memoryId);
    expect((await read(source)).equals(content)).toBe(true);
  });

  test('refuses content beside the file, no file, two files and a file without a type', async () => {
    const file = { bytes: bytes('x'), contentType: 'text/plain' };
    expect(await failure(create({ originalContent: bytes('x') }, file))).toMatch(/originalContent: cannot be given/);
    expect(await failure(create({}))).toMatch(/file: the multipart body has no such part/);
    expect(await failure(create({}, file, file))).toMatch(/only one part named file/);
    expect(await failure(create({}, { bytes: bytes('x') }))).toMatch(/contentType: is required/);
  });

  test('an aborted upload leaves nothing behind', async () => {
    async function* broken() {
      yield new Uint8Array(1_500_000);
      yield new Uint8Array(1_500_000);
      throw new Error('the client left');
    }
    const files = upload({ bytes: bytes(''), data: broken(), contentType: 'text/plain' });
    await expect(world.memory('createMemory', { spaceId }, world.ada, { files })).rejects.toThrow('the client left');
    expect(await sql(world.db, 'select 1 from content_staging')).toEqual([]);
    expect(
      await sql(
        world.db,
        'select 1 from content_part p where not exists (select from memory m where m.content_id = p.content_id)',
      ),
    ).toEqual([]);
  });

  test.each([10, 2_500_000])('a space that is deleted while its %i bytes arrive is not found', async (size) => {
    const gone = await world.space();
    async function* slow() {
      yield new Uint8Array(size);
      await world.call('deleteSpace', { spaceId: gone }, world.ada);
    }
    const files = upload({ bytes: bytes(''), data: slow(), contentType: 'text/plain' });
    await expect(world.memory('createMemory', { spaceId: gone }, world.ada, { files })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `Space not found: ${gone}`,
      resource: { kind: 'Space', id: gone },
    });
    for (const table of ['memory', 'content_part', 'content_staging']) {
      expect(await sql(world.db, `select from ${table} where space_id = $1`, [gone])).toEqual([]);
    }
  });
});
