import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type CliOptions, cli } from '../support/client/host.fixture.ts';
import { SVC } from '../support/command.ts';
import { useOwnUser } from '../support/server.fixture.ts';
import { NO_CONFIG } from '../support/server.ts';
import type { Json } from '../support/wire.ts';

const user = useOwnUser();
let folder: string;
let embedderId: string;
let spaces = 0;
let space: string;
let spaceId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-cli-sync-'));
  const kind = { providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 64 };
  embedderId = (await user.stage.ok('createEmbedder', { displayName: 'Mine', ...kind })).embedderId;
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  spaces += 1;
  space = `space-${spaces}`;
  spaceId = (await user.stage.space({ name: space, embedderId })).spaceId;
  await rm(join(folder, 'notes'), { recursive: true, force: true });
  await mkdir(join(folder, 'notes/deep'), { recursive: true });
  await write('a.txt', 'one');
  await write('b.md', '# two');
  await write('deep/c.txt', 'three');
});

const svc = (args: readonly string[], options: CliOptions = {}) =>
  cli(args, { env: user.env, cwd: folder, ...options });
const sync = (...flags: string[]) => svc(['sync', space, 'notes', ...flags]);
/** What the first sync of a folder says before anything else. */
const FIRST = /^First sync of this folder: space-\d+ knows it as [^\n]+\n/;
const write = (path: string, text: string | Buffer) => writeFile(join(folder, 'notes', path), text);

async function stored(): Promise<Record<string, string>> {
  const { memories } = await user.stage.ok('listMemories', { spaceId, maxResults: 500 });
  return Object.fromEntries(memories.map(({ memoryId, metadata }: Json) => [metadata.path, memoryId]));
}

/** Without ids. */
const shape = (text: string): string => text.replace(/ {2}[0-9a-f-]{36}/g, '');

test('new, changed, renamed and removed files; memories of other sources stay', async () => {
  await svc(['memories', 'add', space, 'notes/a.txt']);
  await svc(['memories', 'add', space, '-', '--metadata', 'path=notes/z.txt'], { stdin: 'by hand' });
  const first = await sync('--wait');
  expect(first.code).toBe(0);
  expect(first.stderr).toMatch(FIRST);
  expect(first.stderr.replace(FIRST, '')).toBe('3 uploaded\n');
  expect(shape(first.stdout)).toBe('uploaded  notes/a.txt\nuploaded  notes/b.md\nuploaded  notes/deep/c.txt\n');
  expect(await sync()).toMatchObject({ code: 0, stdout: '', stderr: '3 unchanged\n' });
  await write('a.txt', 'one, again');
  await rename(join(folder, 'notes/b.md'), join(folder, 'notes/renamed.md'));
  await unlink(join(folder, 'notes/deep/c.txt'));
  const second = await sync('-f');
  expect(second).toMatchObject({ code: 0, stderr: '2 uploaded, 1 replaced, 2 deleted\n' });
  expect(shape(second.stdout).trimEnd().split('\n').sort()).toEqual([
    'deleted  notes/a.txt',
    'deleted  notes/b.md',
    'deleted  notes/deep/c.txt',
    'uploaded  notes/a.txt',
    'uploaded  notes/renamed.md',
  ]);
  const { memories } = await user.stage.ok('listMemories', { spaceId, maxResults: 500 });
  const left: Json[] = memories.map(({ metadata }: Json) => metadata);
  // The file that was added by hand and has the same path and name is not of the sync.
  expect(
    left
      .filter(({ syncSource }) => syncSource === undefined)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(['notes/a.txt', 'notes/z.txt']);
  expect(left.filter(({ syncSource }) => syncSource !== undefined)).toHaveLength(2);
  // Nor does an add take what a sync has stored for an earlier version of its own.
  await write('a.txt', 'one, by hand');
  expect((await svc(['memories', 'add', space, 'notes/a.txt'])).stderr).toBe('1 uploaded, 1 replaced\n');
  expect(Object.keys(await stored())).toHaveLength(3);
});

test('--dry-run changes nothing, and is data in the JSON forms', async () => {
  await sync('--wait');
  await write('a.txt', 'changed');
  await unlink(join(folder, 'notes/b.md'));
  await write('new.txt', 'new');
  const before = await stored();
  const plan = await sync('--dry-run', '-o', 'ndjson');
  const changes = plan.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(changes).toEqual([
    { action: 'upload', path: 'notes/a.txt', memoryId: expect.any(String), bytes: 7 },
    { action: 'upload', path: 'notes/new.txt', memoryId: expect.any(String), bytes: 3 },
    { action: 'delete', path: 'notes/a.txt', memoryId: before['notes/a.txt'], why: 'changed' },
    { action: 'delete', path: 'notes/b.md', memoryId: before['notes/b.md'], why: 'gone' },
  ]);
  expect(plan.stderr).toBe('1 unchanged, 2 would be uploaded, 1 would be replaced, 1 would be deleted\n');
  expect(await stored()).toEqual(before);
  const done = JSON.parse((await sync('-f', '--wait', '-o', 'json')).stdout);
  const uploads = done.filter(({ action }: { action: string }) => action === 'upload');
  expect(uploads.map(({ processingStatus }: { processingStatus: string }) => processingStatus)).toEqual([
    'COMPLETED',
    'COMPLETED',
  ]);
  expect(done).toHaveLength(4);
});

test('without a terminal nothing is deleted without -f; on a terminal the answer decides', async () => {
  await sync('--wait');
  await unlink(join(folder, 'notes/b.md'));
  const piped = await sync();
  expect(piped.code).toBe(0);
  expect(shape(piped.stderr)).toMatch(
    /^gone {2}notes\/b\.md: its memory \S+ stays\n2 unchanged, 1 gone\nMemories of files that are gone stay until they are deleted with -f\.\n$/,
  );
  const asked = (answer: string) => svc(['sync', space, 'notes'], { terminal: true, stdin: answer });
  const no = await asked('n\n');
  expect(no.code).toBe(0);
  expect(no.stderr).toContain('  notes/b.md\n');
  expect(no.stderr).toContain('Delete 1 memory? This cannot be undone. [y/N] ');
  expect(Object.keys(await stored())).toContain('notes/b.md');
  expect((await asked('y\n')).stderr).toContain('2 unchanged, 1 deleted\n');
  expect(Object.keys(await stored())).not.toContain('notes/b.md');
});

test('two folders of one name, and a folder that was moved and keeps its --name', async () => {
  await mkdir(join(folder, 'other/notes'), { recursive: true });
  await writeFile(join(folder, 'other/notes/a.txt'), 'one');
  await sync('--wait');
  expect((await svc(['sync', space, 'other/notes'])).stderr.replace(FIRST, '')).toBe('1 uploaded\n');
  await unlink(join(folder, 'other/notes/a.txt'));
  expect((await svc(['sync', space, 'other/notes', '-f', '--allow-empty'])).stderr).toBe('1 deleted\n');
  expect(Object.keys(await stored())).toHaveLength(3);
  await sync('--source', 'mine', '--wait');
  await mkdir(join(folder, 'moved'), { recursive: true });
  await rename(join(folder, 'notes'), join(folder, 'moved/notes'));
  expect((await svc(['sync', space, 'moved/notes', '--source', 'mine'])).stderr).toBe('3 unchanged\n');
  await rm(join(folder, 'moved'), { recursive: true });
});

test('an unreadable file keeps its memory, and the exit code says so', async () => {
  await sync('--wait');
  await unlink(join(folder, 'notes/a.txt'));
  await symlink('a.txt', join(folder, 'notes/a.txt'));
  const { code, stderr } = await sync('-f');
  expect(code).toBe(66);
  expect(stderr).toContain('failed  notes/a.txt: Cannot read it: its links form a circle\n');
  expect(Object.keys(await stored())).toContain('notes/a.txt');
  expect((await svc(['sync', space, 'nowhere', '-f'])).code).toBe(66);
  expect((await svc(['sync', space, 'notes/b.md', '-f'])).code).toBe(64);
  expect(Object.keys(await stored())).toHaveLength(3);
});

test('a folder without files is refused when the space has memories of it, unless that is meant', async () => {
  expect(await svc(['sync', space, 'notes/deep', '--exclude', '*', '-f'])).toMatchObject({ code: 0 });
  await sync('--wait');
  await rm(join(folder, 'notes'), { recursive: true });
  await mkdir(join(folder, 'notes'));
  for (const flags of [['-f'], [], ['-f', '--dry-run']]) {
    const refused = await sync(...flags);
    expect(refused).toMatchObject({ code: 66, stdout: '' });
    expect(refused.stderr).toBe(
      [
        `svc: There are no files in ${join(await realpath(folder), 'notes')}, but ${space} has 3 memories from it`,
        '  this may be a disk that is not mounted; nothing was changed',
        '  If the files are really gone, add --allow-empty\n',
      ].join('\n'),
    );
  }
  // Files that are left out are not there either.
  await write('a.txt', 'one');
  expect(await sync('-f', '--exclude', '*')).toMatchObject({ code: 66 });
  await unlink(join(folder, 'notes/a.txt'));
  expect(Object.keys(await stored())).toHaveLength(3);
  expect(await sync('--allow-empty')).toMatchObject({ code: 0 });
  expect(Object.keys(await stored())).toHaveLength(3);
  expect((await sync('-f', '--allow-empty')).stderr).toBe('3 deleted\n');
  expect(Object.keys(await stored())).toHaveLength(0);
  expect(await sync('-f')).toMatchObject({ code: 0 });
});

test('names with line ends, quotes, emoji and bytes that are no UTF-8 come and go', async () => {
  await write("new\nline 🧭 it's \\ %.txt", 'odd');
  await writeFile(Buffer.concat([Buffer.from(join(folder, 'notes/caf')), Buffer.from([0xe9])]), 'bytes');
  expect((await sync('--wait')).stderr.replace(FIRST, '')).toBe('5 uploaded\n');
  expect((await sync()).stderr).toBe('5 unchanged\n');
  expect(Object.keys(await stored())).toEqual(
    expect.arrayContaining(["notes/new\nline 🧭 it's \\ %.txt", 'notes/caf\\xe9']),
  );
  await unlink(Buffer.concat([Buffer.from(join(folder, 'notes/caf')), Buffer.from([0xe9])]));
  await unlink(join(folder, "notes/new\nline 🧭 it's \\ %.txt"));
  expect((await sync('-f')).stderr).toBe('3 unchanged, 2 deleted\n');
});

test('a killed sync resumes, and a sync of files that keep changing ends', async () => {
  for (let at = 0; at < 300; at += 1) await write(`${at}.txt`, `note ${at}`);
  const [program, ...words] = SVC;
  const child: ChildProcess = spawn(program, [...words, 'sync', space, 'notes', '--parallel', '1'], {
    env: { ...process.env, ...user.env, XDG_CONFIG_HOME: NO_CONFIG },
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
  let isOver = false;
  const churn = async (): Promise<void> => {
    for (let at = 0; !isOver; at = (at + 1) % 300) {
      await write(`${at}.txt`, `changed ${Date.now()}`);
      await rm(join(folder, 'notes', `${(at + 150) % 300}.txt`), { force: true });
    }
  };
  const churning = churn();
  const { code } = await sync('-f');
  isOver = true;
  await churning;
  expect([0, 66]).toContain(code);
  const settled = await sync('-f', '--wait');
  expect(settled.code).toBe(0);
  expect((await sync('-f')).stderr).toMatch(/^\d+ unchanged\n$/);
});
