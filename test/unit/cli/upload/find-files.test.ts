import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { uploadId } from '../../../../src/cli/kit/bulk/memory-id.ts';
import { failureOf } from '../../../../src/cli/kit/failure.ts';
import { findFiles, globBase, globPattern } from '../../../../src/cli/upload/find-files.ts';
import { filtersFor } from '../../../../src/cli/upload/matching-memories.ts';
import { contentTypeOfName } from '../../../../src/shared/content-types.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';
let folder: string;

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
  await symlink(join(folder, 'notes/a.txt'), join(folder, 'notes/deep/link.txt'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe('files', () => {
  const { signal } = new AbortController();
  const paths = async (given: string[], cwd = folder) =>
    (await findFiles(given, { cwd, signal })).files.map(({ path }) => path);

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
  test('named files are included once', async () => {
    expect(await paths(['notes/.hidden', 'notes/a.txt', './notes/a.txt'])).toEqual(['notes/.hidden', 'notes/a.txt']);
    expect(await paths(['notes/deep/.git'])).toEqual(['notes/deep/.git/config']);
  });
  test('patterns, unless a file has that name', async () => {
    expect(await paths(['notes/*.{md,txt}'])).toEqual(['notes/a.txt', 'notes/b.md']);
    expect(await paths(['**/*.PDF'])).toEqual(['notes/deep/c.PDF']);
    expect(await paths(['[odd].txt'])).toEqual(['[odd].txt']);
  });
  test('outside the working folder: paths relative to the parent of the argument', async () => {
    expect(await paths([join(folder, 'notes/deep')], '/usr')).toEqual(['deep/c.PDF']);
    expect(await paths([join(folder, 'notes/a.txt')], '/usr')).toEqual(['a.txt']);
  });
  test('links are followed within the folder only; a named link is followed anywhere', async () => {
    const links = join(folder, 'links');
    await mkdir(join(links, '.cache'), { recursive: true });
    for (const path of ['.env', '.cache/a.txt', 'real.txt']) await writeFile(join(links, path), path);
    await symlink('real.txt', join(links, 'alias.txt'));
    await symlink('.env', join(links, 'env.txt'));
    await symlink('.cache/a.txt', join(links, 'cached.txt'));
    await symlink('../notes/a.txt', join(links, 'outside.txt'));
    await symlink('links', join(folder, 'to-links'));
    for (const named of ['links', 'to-links', 'links/*.txt']) {
      const { files, passedOver } = await findFiles([named], { cwd: folder, signal });
      expect(files.map(({ path }) => path.split('/').at(-1))).toEqual(['alias.txt', 'real.txt']);
      expect(passedOver.map((one) => [one.kind, 'reason' in one && one.reason])).toEqual([
        ['skipped', 'it is a link to a file that is left out'],
        ['skipped', 'it is a link to a file that is left out'],
        ['skipped', 'it is a link to a file outside of the folder'],
      ]);
    }
    expect(await paths(['links/outside.txt', 'links/env.txt'])).toEqual(['links/outside.txt', 'links/env.txt']);
    execFileSync('rm', ['-r', links, join(folder, 'to-links')]);
  });
  test('unreadable files are reported, and do not stop the others', async () => {
    const odd = join(folder, 'odd');
    const deep = join(odd, 'deep');
    await mkdir(deep, { recursive: true });
    await symlink('loop', join(odd, 'loop'));
    await symlink('nowhere', join(odd, 'dangling'));
    await writeFile(join(odd, 'a.txt'), 'a');
    execFileSync('mkfifo', [join(odd, 'pipe')]);
    // Deeper than a path may be long: made from within, folder by folder.
    execFileSync('bash', ['-c', 'for i in $(seq 20); do mkdir "$0" && cd "$0" || exit 1; done', 'd'.repeat(250)], {
      cwd: deep,
    });
    const { files, passedOver } = await findFiles(['odd', 'missing', 'notes/a.txt'], { cwd: folder, signal });
    expect(files.map(({ path }) => path)).toEqual(['odd/a.txt', 'notes/a.txt']);
    const told = passedOver.map((outcome) => ({
      path: outcome.path.replace(/(\/d{250})+/, '/…'),
      why: outcome.kind === 'skipped' ? outcome.reason : outcome.kind === 'failed' && failureOf(outcome.error),
    }));
    expect(told).toEqual([
      { path: 'odd/dangling', why: expect.objectContaining({ details: 'it is a link to a file that does not exist' }) },
      { path: 'odd/deep/…', why: expect.objectContaining({ exit: 66, details: 'its path is too long' }) },
      { path: 'odd/loop', why: expect.objectContaining({ exit: 66, details: 'its links form a circle' }) },
      { path: 'odd/pipe', why: 'it is a pipe, not a file; - reads what is piped in' },
      { path: 'missing', why: expect.objectContaining({ exit: 66, message: 'No such file or folder' }) },
    ]);
    const globbed = await findFiles(['odd/*'], { cwd: folder, signal });
    expect(globbed.files).toHaveLength(1);
    expect(globbed.passedOver).toHaveLength(4);
    execFileSync('rm', ['-r', odd]);
  });
  test('names that are not UTF-8 are found, and differ from each other', async () => {
    const bytes = (byte: number) => Buffer.concat([Buffer.from(`${folder}/bytes/caf`), Buffer.from([byte])]);
    await mkdir(join(folder, 'bytes'));
    for (const byte of [0xe9, 0xe8]) await writeFile(bytes(byte), String(byte));
    await writeFile(join(folder, 'bytes/new\nline 🧭 é'), 'x');
    const { files } = await findFiles(['bytes'], { cwd: folder, signal });
    expect(files.map(({ path }) => path)).toEqual(['bytes/caf\\xe8', 'bytes/caf\\xe9', 'bytes/new\nline 🧭 é']);
    const contents = await Promise.all(files.map(({ file }) => readFile(file, 'utf8')));
    expect(contents).toEqual(['232', '233', 'x']);
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
  const office = 'application/vnd.openxmlformats-officedocument';
  const types: Record<string, string> = {
    'md markdown': 'text/markdown',
    'html htm xhtml': 'text/html',
    csv: 'text/csv',
    tsv: 'text/tab-separated-values',
    json: 'application/json',
    'jsonl ndjson': 'application/x-ndjson',
    xml: 'application/xml',
    'yaml yml': 'application/yaml',
    toml: 'application/toml',
    'js mjs cjs jsx': 'application/javascript',
    'ts mts cts tsx': 'application/typescript',
    sql: 'application/sql',
    'sh bash': 'application/x-sh',
    php: 'application/x-httpd-php',
    'graphql gql': 'application/graphql',
    pdf: 'application/pdf',
    rtf: 'application/rtf',
    epub: 'application/epub+zip',
    eml: 'message/rfc822',
    docx: `${office}.wordprocessingml.document`,
    pptx: `${office}.presentationml.presentation`,
    xlsx: `${office}.spreadsheetml.sheet`,
    odt: 'application/vnd.oasis.opendocument.text',
    png: 'image/png',
    'jpg jpeg': 'image/jpeg',
    'tif tiff': 'image/tiff',
    bmp: 'image/bmp',
    'txt text log': 'text/plain',
  };
  for (const [extensions, type] of Object.entries(types)) {
    for (const extension of extensions.split(' ')) {
      const names = [`a.${extension}`, `x/y.tar.${extension.toUpperCase()}`];
      expect(names.map(contentTypeOfName), extension).toEqual([type, type]);
    }
  }
  expect(['c', '.txt', 'dir.pdf/file'].map(contentTypeOfName)).toEqual([undefined, undefined, undefined]);
});

describe('path prefixes of the list call', () => {
  const many = (folder: string) => Array.from({ length: 250 }, (_, at) => `${folder}${at}.txt`);

  test('few paths are listed one by one', () => {
    expect(filtersFor([])).toEqual([]);
    expect(filtersFor(["it's.txt", 'a/b'])).toEqual(["val('$.path') IN ('it''s.txt','a/b')"]);
    expect(filtersFor(many(''))).toHaveLength(2);
  });

  test('of many, their common folders', () => {
    expect(filtersFor(many('docs/2024/'))).toEqual(["val('$.path') LIKE 'docs/2024/%'"]);
    expect(filtersFor([...many('docs/2024/'), ...many('docs/2023/deep/'), 'README'])).toEqual([
      "val('$.path') LIKE 'docs/%'",
      "val('$.path') IN ('README')",
    ]);
    expect(filtersFor(many('50%_\\/'))).toEqual(["val('$.path') LIKE '50\\\\%\\\\_\\\\\\\\/%'"]);
  });
});

test('ids depend on space, path and content, and never change', () => {
  const id = uploadId({ spaceId: SPACE, path: 'a.txt' }, Buffer.from('a'));
  expect(id).toMatchInlineSnapshot(`"ab19c9b6-0831-5ea9-9b80-cbf7af3d179d"`);
  expect(uploadId({ spaceId: SPACE.toUpperCase(), path: 'a.txt' }, Buffer.from('a'))).toBe(id);
  const others = [
    uploadId({ spaceId: SPACE.replace('b1', 'b2'), path: 'a.txt' }, Buffer.from('a')),
    uploadId({ spaceId: SPACE, path: 'b.txt' }, Buffer.from('a')),
    uploadId({ spaceId: SPACE, path: 'a.txt' }, Buffer.from('b')),
  ];
  expect(new Set([id, ...others]).size).toBe(4);
});
