import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFolder, folderOf } from '../../../../src/cli/sync/find-folder.ts';

const { signal } = new AbortController();
let root: string;

const FILES: Readonly<Record<string, string>> = {
  'repo/.gitignore': '*.log\n!keep.log\nbuild/\n/only-here.txt\n# a comment\n\\#hash.txt\nsecret*\n',
  'repo/a.txt': '',
  'repo/a.log': '',
  'repo/keep.log': '',
  'repo/only-here.txt': '',
  'repo/#hash.txt': '',
  'repo/Build/x.txt': '',
  'repo/build/out.txt': '',
  'repo/docs/only-here.txt': '',
  'repo/docs/.gitignore': '!a.log\n*.tmp\n/deep/*\n!/deep/yes.txt\n',
  'repo/docs/a.log': '',
  'repo/docs/b.log': '',
  'repo/docs/x.tmp': '',
  'repo/docs/deep/no.txt': '',
  'repo/docs/deep/yes.txt': '',
  'repo/docs/deep/keep.log': '',
  'repo/docs/build/inner.txt': '',
  'repo/docs/über 🧭/secret plan.txt': '',
  'repo/docs/über 🧭/plan.txt': '',
  // Folders that the file at the top ignores and a deeper one lets in again.
  'repo/back/.gitignore': '!build/\n!bu[*]ild/\n',
  'repo/back/build/x/f.md': '',
  'repo/back/build/x/f.log': '',
  'repo/back/build/x/build/g.md': '',
  'repo/back/build/x/secret.md': '',
  'repo/back/build/.gitignore': 'x/*.tmp\n!secret.md\n',
  'repo/back/build/x/h.tmp': '',
  'repo/back/deep/build/i.md': '',
  'repo/back/secret [1]/.gitignore': '',
  'repo/back/secret [1]/j.md': '',
};

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'svc-cli-sync-')));
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  execFileSync('git', ['init', '-q'], { cwd: join(root, 'repo') });
});
afterAll(async () => {
  await rm(root, { recursive: true });
});

/** Paths below the folder. */
async function found(folder: string, options: { exclude?: string[]; hidden?: boolean } = {}): Promise<string[]> {
  const { exclude = [], hidden = false } = options;
  const { files } = await findFolder({
    folder: join(root, folder),
    root: basename(folder),
    exclude,
    hidden,
    signal,
    onFound: () => {},
  });
  return files.map(({ path }) => path.slice(path.indexOf('/') + 1)).sort();
}

/** What git would add below that folder. */
function gitFiles(folder: string): string[] {
  const output = execFileSync('git', ['ls-files', '-z', '--others', '--exclude-standard'], { cwd: join(root, folder) });
  return output.toString().split('\0').filter(Boolean).sort();
}

describe('.gitignore', () => {
  test.each([
    'repo',
    'repo/docs',
    'repo/docs/deep',
    'repo/docs/über 🧭',
    'repo/back',
    'repo/back/build',
    'repo/back/build/x',
  ])('%s holds what git sees', async (folder) => {
    const ours = await found(folder, { hidden: true });
    expect(ours).toEqual(gitFiles(folder));
    expect(ours.length).toBeGreaterThan(0);
  });

  test('an ignored folder is included when it is named', async () => {
    expect(await found('repo/build')).toEqual(['out.txt']);
  });
});

test('hidden files are left out unless they are wanted, .git and node_modules always', async () => {
  await mkdir(join(root, 'plain/node_modules'), { recursive: true });
  await mkdir(join(root, 'plain/.git'));
  await mkdir(join(root, 'plain/.config'));
  for (const path of ['a.txt', '.env', '.config/x', 'node_modules/y.js', '.git/HEAD'])
    await writeFile(join(root, 'plain', path), '');
  expect(await found('plain')).toEqual(['a.txt']);
  expect(await found('plain', { hidden: true })).toEqual(['.config/x', '.env', 'a.txt']);
});

test('--exclude overrides .gitignore', async () => {
  expect(await found('repo', { exclude: ['*.txt', '!a.txt', 'docs/', 'back/'] })).toEqual(['a.txt', 'keep.log']);
  expect(await found('repo', { exclude: ['*.txt', 'keep.log', 'back/'] })).toEqual(['docs/a.log']);
});

test('an unreadable folder, and everything below it, counts as present', async () => {
  await mkdir(join(root, 'odd'));
  await symlink('loop', join(root, 'odd/loop'));
  const folder = await findFolder({
    folder: join(root, 'odd'),
    root: 'odd',
    exclude: [],
    hidden: false,
    signal,
    onFound: () => {},
  });
  expect(folder.passedOver).toMatchObject([{ kind: 'failed', path: 'odd/loop' }]);
  expect([folder.isThere('odd/loop'), folder.isThere('odd/other')]).toEqual([true, false]);
  const missing = join(root, 'missing');
  const unread = await findFolder({
    folder: missing,
    root: 'missing',
    exclude: [],
    hidden: false,
    signal,
    onFound: () => {},
  });
  expect(unread.isThere('missing/deep/a.txt')).toBe(true);
});

test('the folder is found through links; a file and nothing are errors', async () => {
  await symlink('repo', join(root, 'link'));
  expect(await folderOf(root, 'link/docs/')).toBe(join(root, 'repo/docs'));
  await expect(folderOf(root, 'repo/a.txt')).rejects.toMatchObject({ exit: 64 });
  await expect(folderOf(root, 'nowhere')).rejects.toMatchObject({ exit: 66 });
});
