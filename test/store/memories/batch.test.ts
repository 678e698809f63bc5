import { beforeAll, describe, expect, test } from 'vitest';
import { httpStatusOf } from '../../../src/shared/error-details.ts';
import type { BatchMemoryResult } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { failure, sql, UNKNOWN_ID } from '../identity.fixture.ts';
import { bytes, MAX_CONTENT, read, upload, useMemoryWorld } from '../memory.fixture.ts';

const world = useMemoryWorld();
let spaceId: string;
beforeAll(async () => {
  spaceId = await world.space();
});

const item = (text: string, more: object = {}) => ({
  spaceId,
  contentType: 'text/plain',
  originalContent: bytes(text),
  ...more,
});

/** `success` or the HTTP status and message of each item, in order. */
function outcomes(results: readonly BatchMemoryResult[]): string[] {
  return results.map(({ success, error, requestIndex }, index) => {
    expect(requestIndex).toBe(index);
    return success ? 'success' : `${error === undefined ? '?' : httpStatusOf(error)} ${error?.message}`;
  });
}

describe('batchCreate', () => {
  test('items succeed or fail one by one', async () => {
    const taken = (await world.remember(spaceId, 'x')).memoryId;
    const twice = crypto.randomUUID();
    const { results, totalDeleted } = await world.memory('batchCreateMemory', {
      requests: [
        item('good'),
        item('taken', { memoryId: taken }),
        item('nowhere', { spaceId: UNKNOWN_ID }),
        { spaceId, contentType: 'text/plain' },
        item('x', { spaceId: 'no id', contentType: 'none' }),
        item('one of two', { memoryId: twice }),
        item('two of two', { memoryId: twice.toUpperCase() }),
        item('named', { fileField: 'a' }),
        item('x'.repeat(MAX_CONTENT + 1)),
        item('good too'),
      ],
    });
    expect(outcomes(results)).toEqual([
      'success',
      '409 A memory with this id exists already',
      `404 Space not found: ${UNKNOWN_ID}`,
      '400 Request has 1 invalid field: originalContent: is required unless originalContentB64 is given',
      '400 Request has 2 invalid fields: spaceId: not a UUID; contentType: not a media type',
      'success',
      '409 Another item of the batch has the same id',
      '400 Request has 1 invalid field: fileField: is allowed only in a multipart batch request',
      `413 Content is larger than ${MAX_CONTENT} bytes`,
      'success',
    ]);
    expect(results[1]?.memoryId).toBe(taken);
    expect(results[0]?.memory?.memoryId).toBe(results[0]?.memoryId);
    expect(results[0]?.deletedCount).toBeUndefined();
    expect(totalDeleted).toBeUndefined();
  });

  test('another user gets no memory into the space', async () => {
    const { results } = await world.memory('batchCreateMemory', { requests: [item('x')] }, world.bob);
    expect(outcomes(results)[0]).toMatch(/^403 /);
  });

  test('multipart: each item takes the part that it names, in any order', async () => {
    const requests = [
      { spaceId, fileField: 'second' },
      item('inline'),
      { spaceId, fileField: 'first', contentType: 'text/markdown' },
      { spaceId, fileField: 'missing', contentType: 'text/plain' },
      item('both', { fileField: 'first' }),
    ];
    const files = upload(
      { field: 'first', bytes: bytes('1'), contentType: 'text/plain', filename: 'one.txt' },
      { field: 'second', bytes: new Uint8Array(2_000_000), contentType: 'text/csv' },
      { field: 'nobody', bytes: bytes('?') },
    );
    const { results } = await world.memory('batchCreateMemory', { requests }, world.ada, { files });
    expect(outcomes(results)).toEqual([
      'success',
      'success',
      'success',
      '400 Request has 1 invalid field: fileField: the multipart body has no part named missing',
      '400 Request has 1 invalid field: fileField: cannot be given together with originalContent',
    ]);
    expect(results.map(({ memory }) => [memory?.contentType, memory?.originalContentLength])).toEqual([
      ['text/csv', 2_000_000n],
      ['text/plain', 6n],
      ['text/markdown', 1n],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(results[2]?.memory?.metadata).toEqual({ filename: 'one.txt' });
    const source = await world.source('getMemoryContent', results[2]?.memoryId ?? '');
    expect((await read(source)).toString()).toBe('1');
    expect(await sql(world.db, 'select 1 from content_staging')).toEqual([]);
  });

  test('multipart: one file needs no name', async () => {
    const files = upload({ field: 'whatever', bytes: bytes('1'), contentType: 'text/plain' });
    const { results } = await world.memory('batchCreateMemory', { requests: [{ spaceId }] }, world.ada, { files });
    expect(outcomes(results)).toEqual(['success']);
  });
});

describe('batchGet', () => {
  test('answers in order, with content as far as one answer holds it', async () => {
    const large = (await world.remember(spaceId, 'x'.repeat(MAX_CONTENT - 10))).memoryId;
    const small = (await world.remember(spaceId, 'hello')).memoryId;
    const other = (await world.remember(spaceId, 'more than ten')).memoryId;
    const { results } = await world.memory('batchGetMemory', {
      memoryIds: [small, UNKNOWN_ID, 'no id', small.toUpperCase(), large, other],
      includeContent: true,
      includeProcessingHistory: true,
    });
    expect(outcomes(results)).toEqual([
      'success',
      `404 Memory not found: ${UNKNOWN_ID}`,
      '400 Request has 1 invalid field: memoryId: not a UUID',
      'success',
      expect.stringMatching(/^(success|413)/),
      expect.stringMatching(/^413 /),
    ]);
    expect(Buffer.from(results[0]?.memory?.originalContent ?? []).toString()).toBe('hello');
    expect(results[0]?.memory?.processingHistory?.latestJob?.jobType).toBe('document_processor');
  });

  test('a memory of another user is refused, of a public space given', async () => {
    const open = await world.space({ publicRead: true });
    const hidden = (await world.remember(spaceId, 'x')).memoryId;
    const shown = (await world.remember(open, 'x')).memoryId;
    const { results } = await world.memory('batchGetMemory', { memoryIds: [hidden, shown] }, world.bob);
    expect(outcomes(results)).toEqual([expect.stringMatching(/^403 /), 'success']);
  });
});

describe('batchDelete', () => {
  test('by id: each counts for itself', async () => {
    const own = await world.space();
    const ids = await Promise.all(['a', 'b', 'c'].map(async (text) => (await world.remember(own, text)).memoryId));
    const { results, totalDeleted } = await world.memory('batchDeleteMemory', {
      memoryIds: [ids[0] ?? '', UNKNOWN_ID, (ids[1] ?? '').toUpperCase(), ids[0] ?? '', 'no id'],
    });
    expect(outcomes(results)).toEqual([
      'success',
      `404 Memory not found: ${UNKNOWN_ID}`,
      'success',
      `404 Memory not found: ${ids[0]}`,
      '400 Request has 1 invalid field: memoryId: not a UUID',
    ]);
    expect(results.map(({ deletedCount }) => deletedCount)).toEqual([1n, 0n, 1n, 0n, 0n]);
    expect(totalDeleted).toBe(2n);
    const { memories } = await world.memory('listMemories', { spaceId: own });
    expect(memories.map(({ memoryId }) => memoryId)).toEqual([ids[2]]);
  });

  test('by filter: all that match', async () => {
    const own = await world.space();
    for (const [text, draft] of [
      ['a', true],
      ['b', false],
      ['c', true],
    ] as const) {
      await world.remember(own, text, { metadata: { draft } });
    }
    const selector = (filter: string, more: object = {}) => ({
      selector: { case: 'filterSelector' as const, value: { spaceId: own, filter, ...more } },
    });
    const { results, totalDeleted } = await world.memory('batchDeleteMemory', {
      requests: [
        selector("CAST(val('$.draft') AS BOOLEAN) = true"),
        selector("CAST(val('$.draft') AS BOOLEAN) = true"),
        selector('val('),
        { selector: { case: undefined } },
        selector('TRUE', { spaceId: UNKNOWN_ID }),
      ],
    });
    expect(outcomes(results)).toEqual([
      'success',
      'success',
      expect.stringMatching(/^400 Invalid filter: Parse error at line 1, column 5.*filterSelector.filter: /),
      expect.stringMatching(/^400 .*request: must have exactly one of/),
      `404 Space not found: ${UNKNOWN_ID}`,
    ]);
    expect(results.map(({ deletedCount }) => deletedCount)).toEqual([2n, 0n, 0n, 0n, 0n]);
    expect(totalDeleted).toBe(2n);
  });

  test('batchDelete by filter deletes no memory of a public space of another user', async () => {
    const open = await world.space({ publicRead: true });
    await world.remember(open, 'x');
    const requests = [{ selector: { case: 'filterSelector' as const, value: { spaceId: open } } }];
    const { results } = await world.memory('batchDeleteMemory', { requests }, world.bob);
    expect(outcomes(results)[0]).toMatch(/^403 /);
    expect((await world.memory('listMemories', { spaceId: open })).memories).toHaveLength(1);
  });

  test('both lists, or none, are refused', async () => {
    const requests = [{ selector: { case: 'memoryId' as const, value: UNKNOWN_ID } }];
    expect(await failure(world.memory('batchDeleteMemory', { memoryIds: [UNKNOWN_ID], requests }))).toMatch(
      /^INVALID_ARGUMENT .*cannot be given together/,
    );
    expect(await failure(world.memory('batchDeleteMemory', {}))).toMatch(/^INVALID_ARGUMENT .*is required/);
  });
});
