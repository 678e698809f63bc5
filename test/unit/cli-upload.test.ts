import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFiles } from '../../src/cli/upload/find-files.ts';
import { globBase, globPattern } from '../../src/cli/upload/glob.ts';
import { memoryIdOf } from '../../src/cli/upload/memory-id.ts';
import { contentTypeOfName } from '../../src/shared/content-types.ts';
import { MemoryService, ProcessingStatus } from '../../src/shared/gen/service/v1/memory_pb.ts';
import { startGrpcServer, type TestGrpcServer } from './cli-grpc-server.ts';
import { cli } from './cli-host.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';
let folder: string;
const servers: TestGrpcServer[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-cli-upload-'));
  await mkdir(join(folder, 'notes/deep/.git'), { recursive: true });
  await mkdir(join(folder, 'notes/node_modules/x'), { recursive: true });
  const files = {
    'notes/b.md': '# b',
    'notes/a.txt': 'a',
    'notes/.hidden': 'h',
    'notes/deep/c.PDF': '%PDF-',
    'notes/deep/.git/config': 'g',
    'notes/node_modules/x/index.js': 'x',
    'notes/plain': 'no extension, but text',
    'notes/blob': '\u0000\u0001',
    '[odd].txt': 'odd',
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  await symlink(join(folder, 'notes'), join(folder, 'notes/deep/loop'));
  await symlink(join(folder, '[odd].txt'), join(folder, 'notes/deep/link.txt'));
});
afterAll(async () => {
  for (const server of servers) server.close();
  await rm(folder, { recursive: true });
});

describe('files', () => {
  const paths = async (given: string[], cwd = folder) => (await findFiles(given, cwd)).map(({ path }) => path);

  test('a folder: sorted, to the bottom, without hidden files, node_modules and loops', async () => {
    expect(await paths(['notes'])).toEqual([
      'notes/a.txt',
      'notes/b.md',
      'notes/blob',
      'notes/deep/c.PDF',
      'notes/deep/link.txt',
      'notes/plain',
    ]);
  });
  test('what is named is taken, each file once', async () => {
    expect(await paths(['notes/.hidden', 'notes/a.txt', './notes/a.txt'])).toEqual(['notes/.hidden', 'notes/a.txt']);
    expect(await paths(['notes/deep/.git'])).toEqual(['notes/deep/.git/config']);
  });
  test('patterns, but a file of that name wins', async () => {
    expect(await paths(['notes/*.{md,txt}'])).toEqual(['notes/a.txt', 'notes/b.md']);
    expect(await paths(['**/*.PDF'])).toEqual(['notes/deep/c.PDF']);
    expect(await paths(['[odd].txt'])).toEqual(['[odd].txt']);
  });
  test('outside the working folder: as seen from the parent of what is named', async () => {
    expect(await paths([join(folder, 'notes/deep')], '/usr')).toEqual(['deep/c.PDF', 'deep/link.txt']);
    expect(await paths([join(folder, 'notes/a.txt')], '/usr')).toEqual(['a.txt']);
  });
  test.each(['missing', 'missing/*.txt'])('%s does not exist', async (path) => {
    await expect(paths([path])).rejects.toMatchObject({ exit: 66 });
  });
});

test.each([
  ['*.txt', 'a.txt', true],
  ['*.txt', 'd/a.txt', false],
  ['**/*.txt', 'a.txt', true],
  ['**/*.txt', 'x/y/a.txt', true],
  ['d/**', 'd/x/y', true],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', false],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['a.b', 'axb', false],
  ['{a,b}.(1)', 'b.(1)', true],
  ['x[', 'x[', true],
])('the pattern %s against %s', (pattern, path, matches) => {
  expect(globPattern(pattern).test(path)).toBe(matches);
});

test('where a pattern starts', () => {
  expect(['*.txt', 'docs/**/*.md', '/data/*', '/*', 'a/b/c.txt'].map(globBase)).toEqual([
    '.',
    'docs',
    '/data',
    '/',
    'a/b',
  ]);
});

test('content types by extension, in any case', () => {
  expect(['a.MD', 'x/y.tar.tsv', 'b.jpeg', 'c', '.txt', 'dir.pdf/file'].map(contentTypeOfName)).toEqual([
    'text/markdown',
    'text/tab-separated-values',
    'image/jpeg',
    undefined,
    undefined,
    undefined,
  ]);
});

test('ids depend on space, path and content, and never change', () => {
  const id = memoryIdOf(SPACE, 'a.txt', Buffer.from('a'));
  expect(id).toMatchInlineSnapshot(`"ab19c9b6-0831-5ea9-9b80-cbf7af3d179d"`);
  expect(memoryIdOf(SPACE.toUpperCase(), 'a.txt', Buffer.from('a'))).toBe(id);
  const others = [
    memoryIdOf(SPACE.replace('b1', 'b2'), 'a.txt', Buffer.from('a')),
    memoryIdOf(SPACE, 'b.txt', Buffer.from('a')),
    memoryIdOf(SPACE, 'a.txt', Buffer.from('b')),
  ];
  expect(new Set([id, ...others]).size).toBe(4);
});

interface Stored {
  memoryId: string;
  spaceId: string;
  contentType: string;
  originalContent: Uint8Array;
  metadata: Record<string, unknown>;
}

/** A store that knows what a server promises about creates: ids are taken once. */
async function store(refuse: (create: number) => Error | undefined = () => undefined) {
  const stored = new Map<string, Stored>();
  let creates = 0;
  const record = ({ memoryId, metadata, originalContent }: Stored) => {
    const isBad = Buffer.from(originalContent).includes('%PDF');
    return {
      memoryId,
      metadata,
      processingStatus: isBad ? ProcessingStatus.FAILED : ProcessingStatus.COMPLETED,
      ...(isBad ? { processingHistory: { attempts: [{ errorMessage: 'The file is damaged' }] } } : {}),
    };
  };
  const server = await startGrpcServer([MemoryService], {
    unary: {
      CreateMemory: ({ request }) => {
        creates += 1;
        const error = refuse(creates);
        if (error !== undefined) throw error;
        const memory = request as unknown as Stored;
        if (stored.has(memory.memoryId)) throw failure(6, 'taken', { 'x-error-code': 'ALREADY_EXISTS' });
        stored.set(memory.memoryId, memory);
        return { ...record(memory), processingStatus: ProcessingStatus.PENDING };
      },
      GetMemory: ({ request }) => {
        const memory = stored.get((request as unknown as Stored).memoryId);
        if (memory === undefined) throw failure(5, 'Memory not found', { 'x-error-code': 'NOT_FOUND' });
        return record(memory);
      },
      BatchGetMemory: ({ request }) => {
        const { memoryIds } = request as unknown as { memoryIds: string[] };
        const results = memoryIds.map((id, requestIndex) => {
          const memory = stored.get(id);
          return memory === undefined
            ? { success: false, requestIndex }
            : { success: true, requestIndex, memory: record(memory) };
        });
        return { results };
      },
    },
  });
  servers.push(server);
  const add = (args: readonly string[], options = {}) =>
    cli(['memories', 'add', SPACE, ...args], {
      cwd: folder,
      env: { SVC_SERVER: `http://127.0.0.1:${server.port}` },
      ...options,
    });
  return { add, stored, server };
}

function failure(code: number, details: string, trailing: Record<string, string>): Error {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailing)) metadata.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

describe('memories add', () => {
  test('uploads what is new, says a line for each, and skips what it cannot name', async () => {
    const { add, stored } = await store();
    const { code, stdout, stderr } = await add(['notes', '--metadata', 'source=test']);
    expect(code).toBe(0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/ {2}[0-9a-f-]{36} {2}/, ' ID '));
    expect(lines.sort()).toEqual(
      ['a.txt', 'b.md', 'deep/c.PDF', 'deep/link.txt', 'plain'].map((name) => `uploaded ID notes/${name}`),
    );
    expect(stderr).toContain('skipped  notes/blob: neither text nor of a known type\n');
    const types = [...stored.values()].map(({ metadata, contentType }) => [
      metadata.path,
      metadata.filename,
      contentType,
    ]);
    expect(types).toContainEqual(['notes/deep/c.PDF', 'c.PDF', 'application/pdf']);
    expect(types).toContainEqual(['notes/plain', 'plain', 'text/plain']);
    expect([...stored.values()].every(({ metadata }) => metadata.source === 'test')).toBe(true);
  });

  test('a second run uploads nothing, a changed file is uploaded again', async () => {
    const { add, stored } = await store();
    const file = join(folder, 'changing.txt');
    await writeFile(file, 'one');
    await add(['changing.txt', 'notes/a.txt']);
    expect((await add(['changing.txt', 'notes/a.txt'])).stderr).toBe('2 unchanged\n');
    await writeFile(file, 'two');
    expect((await add(['changing.txt', 'notes/a.txt'])).stderr).toMatch(
      /^(1 uploaded, 1 unchanged|1 unchanged, 1 uploaded)\n$/,
    );
    expect(stored.size).toBe(3);
    await rm(file);
  });

  test('--wait ends when all are processed and lists what failed', async () => {
    const { add } = await store();
    const { code, stdout, stderr } = await add(['notes', '--wait', '-o', 'ndjson']);
    expect(code).toBe(1);
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).processingStatus);
    expect(records.sort()).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED', 'FAILED']);
    expect(stderr).toContain('"message":"notes/deep/c.PDF: The file is damaged"');
    expect(stderr).not.toContain('Failed:');
    const again = await add(['notes', '--wait']);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('Failed:\n  notes/deep/c.PDF: The file is damaged\n');
  });

  test('--dry-run sends nothing and says what it would send', async () => {
    const { add, stored } = await store();
    const { code, stdout } = await add(['notes/a.txt', '--dry-run', '-o', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { action: 'upload', path: 'notes/a.txt', contentType: 'text/plain', bytes: 1 },
    ]);
    expect(stored.size).toBe(0);
  });

  test('stdin is one document', async () => {
    const { add, stored } = await store();
    expect((await add(['-'], { stdin: 'The boiler was serviced.' })).code).toBe(0);
    const [memory] = stored.values();
    expect(memory).toMatchObject({ contentType: 'text/plain', metadata: {} });
    expect(Buffer.from(memory?.originalContent ?? '').toString()).toBe('The boiler was serviced.');
    expect((await add(['-', 'notes'])).code).toBe(64);
    expect((await add(['-'], { stdin: '\u0000' })).code).toBe(64);
  });

  test('waits as long as the server says and goes on', async () => {
    const limited = { 'x-error-code': 'RESOURCE_EXHAUSTED', 'retry-after': '0' };
    const { add } = await store((create) => (create <= 2 ? failure(8, 'Rate limit exceeded', limited) : undefined));
    expect(await add(['notes/a.txt'])).toMatchObject({ code: 0, stderr: '1 uploaded\n' });
  });

  test('a failure of one file does not stop the others', async () => {
    const tooLarge = failure(8, 'Content is too large', { 'x-error-code': 'PAYLOAD_TOO_LARGE' });
    const { add, stored } = await store((create) => (create === 1 ? tooLarge : undefined));
    const { code, stderr } = await add(['notes/a.txt', 'notes/b.md', '--parallel', '1']);
    expect(code).toBe(65);
    expect(stderr).toBe(
      'failed  notes/a.txt: Content is too large\n1 failed, 1 uploaded\nFailed:\n  notes/a.txt: Content is too large\n',
    );
    expect(stored.size).toBe(1);
  });

  test('a missing permission stops at once, with the summary', async () => {
    const denied = failure(7, 'The key lacks CREATE_MEMORY', { 'x-error-code': 'PERMISSION_DENIED' });
    const { add, server } = await store(() => denied);
    const { code, stderr } = await add(['notes', '--parallel', '1']);
    expect(code).toBe(77);
    expect(stderr).toContain('svc: The key lacks CREATE_MEMORY\n');
    expect(server.calls.filter(({ name }) => name === 'CreateMemory')).toHaveLength(1);
  });

  test('a terminal gets one line that is redrawn, not a line for each file', async () => {
    const { add } = await store();
    const { stdout, stderr } = await add(['notes/a.txt', 'notes/b.md'], { terminal: true, columns: 60 });
    expect(stdout).toBe('');
    expect(stderr).toContain('\r\u001b[K2 of 2  notes/');
    expect(stderr.endsWith('\r\u001b[K2 uploaded\n')).toBe(true);
  });
});
