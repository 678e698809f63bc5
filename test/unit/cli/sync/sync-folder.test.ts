import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CliOptions, cli } from '../../../support/client/host.fixture.ts';
import {
  type MemoryStore,
  type StoreBehavior,
  type StoredMemory,
  startMemoryStore,
} from '../../../support/client/memory-store.fixture.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';
let folder: string;
const stores: MemoryStore[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-cli-sync-run-'));
  await mkdir(join(folder, 'notes'));
  await write('a.md', 'alpha');
  await write('b.md', 'beta');
});
afterEach(async () => {
  for (const { server } of stores.splice(0)) server.close();
  await rm(folder, { recursive: true });
});

const file = (path: string): string => join(folder, 'notes', path);
const write = (path: string, text: string): Promise<void> => writeFile(file(path), text);
/** An hour between two looks at the clock: the patience of a run that was not asked to wait is at its end. */
function impatient(): () => number {
  let clock = 0;
  return () => (clock += 3_600_000);
}

async function store(behavior: StoreBehavior = {}) {
  const memories = await startMemoryStore(behavior);
  stores.push(memories);
  const sync = (flags: readonly string[] = [], options: CliOptions = {}) =>
    cli(['sync', SPACE, 'notes', '--source', 'mine', ...flags], {
      cwd: folder,
      env: { SVC_SERVER: `http://127.0.0.1:${memories.server.port}` },
      ...options,
    });
  const paths = (): unknown[] => [...memories.stored.values()].map(({ metadata }) => metadata.path).sort();
  return { ...memories, sync, paths };
}

test('after a failure no memory of a removed file is deleted', async () => {
  const { sync, paths } = await store();
  await sync();
  await rename(file('a.md'), file('moved.md'));
  await unlink(file('b.md'));
  await symlink('loop.md', file('loop.md'));
  for (const flags of [['--dry-run', '-f'], ['-f']]) {
    const { code, stderr } = await sync(flags);
    expect(code).toBe(66);
    expect(stderr).toMatch(
      /^gone {2}notes\/b\.md: its memory \S+ stays, because a file that failed may be where it went$/m,
    );
    expect(stderr).toContain('2 gone\n');
    expect(paths()).toEqual(expect.arrayContaining(['notes/a.md', 'notes/b.md']));
  }
  const told = await sync(['-f', '-o', 'ndjson']);
  expect(JSON.parse(told.stdout.split('\n')[0] ?? '')).toMatchObject({
    action: 'leave',
    why: 'gone',
    because: 'failures',
  });
  await unlink(file('loop.md'));
  expect((await sync(['-f'])).code).toBe(0);
  expect(paths()).toEqual(['notes/moved.md']);
});

test('a renamed file is found under its old path until it can be found under the new one', async () => {
  let isProcessed = true;
  let isDamaged = false;
  const isNew = ({ metadata }: StoredMemory) => metadata.path === 'notes/moved.md';
  const { sync, paths } = await store({
    isProcessed: (memory) => isProcessed || !isNew(memory),
    isDamaged: (memory) => isDamaged && isNew(memory),
  });
  await sync();
  await rename(file('a.md'), file('moved.md'));
  isProcessed = false;
  const early = await sync(['-f'], { now: impatient() });
  expect(early.code).toBe(0);
  expect(early.stderr).toMatch(
    /notes\/a\.md: its memory \S+ stays, because its content is not processed yet where it is now\n/,
  );
  expect(early.stderr).toContain('run the same command again, or with --wait.\n');
  expect(paths()).toEqual(['notes/a.md', 'notes/b.md', 'notes/moved.md']);
  isProcessed = true;
  isDamaged = true;
  const failed = await sync(['-f', '--wait']);
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('stays, because its content could not be processed where it is now\n');
  expect(paths()).toContain('notes/a.md');
  isDamaged = false;
  expect((await sync(['-f'])).stderr).toBe('2 unchanged, 1 deleted\n');
  expect(paths()).toEqual(['notes/b.md', 'notes/moved.md']);
});

test('a file that another sync stores meanwhile is not treated as removed', async () => {
  let comes: (() => Promise<void>) | undefined;
  const memories = await store({
    call: async () => {
      await comes?.();
      return undefined;
    },
  });
  const { sync, paths } = memories;
  await sync();
  await unlink(file('a.md'));
  // Another program writes the file again while this sync sends others.
  comes = () => write('a.md', 'alpha');
  await write('c.md', 'gamma');
  const back = await sync(['-f']);
  expect(back.stderr).toMatch(/notes\/a\.md: its memory \S+ stays, because the file is there again\n/);
  expect(paths()).toEqual(['notes/a.md', 'notes/b.md', 'notes/c.md']);
  comes = undefined;
  // What is left out is not there, though it exists; it may be of no interest, or secret.
  expect((await sync(['-f', '--exclude', 'a.md'])).stderr).toBe('2 unchanged, 1 deleted\n');
});

test('the space is listed before the folder, so that a concurrent sync is seen as files', async () => {
  let another: (() => void) | undefined;
  const { sync, paths, stored } = await store({
    list: () => {
      another?.();
      return undefined;
    },
  });
  await write('fresh.md', 'new');
  await sync();
  const fresh = [...stored.values()].find(({ metadata }) => metadata.path === 'notes/fresh.md');
  if (fresh === undefined) throw new Error('It is not stored');
  await unlink(file('fresh.md'));
  stored.delete(fresh.memoryId);
  another = () => {
    writeFileSync(file('fresh.md'), 'new');
    stored.set(fresh.memoryId, fresh);
  };
  expect((await sync(['-f'])).stderr).toBe('3 unchanged\n');
  expect(paths()).toContain('notes/fresh.md');
});

test('a link out of the folder is reported, and memories stored through one are deleted', async () => {
  const { sync, paths } = await store();
  await write('secret.md', 'alpha and omega');
  await sync();
  await rename(file('secret.md'), join(folder, 'secret.md'));
  await symlink('../secret.md', file('secret.md'));
  const { stderr, code } = await sync(['-f']);
  expect({ stderr, code }).toEqual({
    stderr:
      'skipped  notes/secret.md: it is a link to a file outside of the folder\n2 unchanged, 1 skipped, 1 deleted\n',
    code: 0,
  });
  expect(paths()).toEqual(['notes/a.md', 'notes/b.md']);
});

test('a folder with a name of its own keeps its paths when it is renamed', async () => {
  const { sync } = await store();
  await sync();
  await rename(join(folder, 'notes'), join(folder, 'papers'));
  await symlink('papers', join(folder, 'notes'));
  expect((await sync(['-f'])).stderr).toBe('2 unchanged\n');
});

test('memories of other users with the same source are not deleted', async () => {
  const { sync, stored } = await store();
  await sync();
  const [mine] = stored.values();
  if (mine === undefined) throw new Error('Nothing is stored');
  const memoryId = '01980000-0000-7000-8000-0000000000c1';
  stored.set(memoryId, { ...mine, memoryId, originalContent: Buffer.from('a summary of it') });
  await unlink(file('a.md'));
  expect((await sync(['-f'])).stderr).toBe('1 unchanged, 1 deleted\n');
  expect([...stored.keys()]).toContain(memoryId);
});

test('the first sync reports the folder name, and that another machine uses the same name', async () => {
  const { server, stored } = await store();
  const env = { SVC_SERVER: `http://127.0.0.1:${server.port}` };
  const path = await realpath(join(folder, 'notes'));
  const mine = `${hostname()}:${path}`;
  const plain = (...flags: string[]) => cli(['sync', SPACE, 'notes', ...flags], { cwd: folder, env });
  const first = `First sync of this folder: ${SPACE} knows it as ${mine}; give it a name with --source where the name of the machine may change\n`;
  expect((await plain()).stderr).toBe(`${first}2 uploaded\n`);
  expect((await plain()).stderr).toBe('2 unchanged\n');
  const [mineStored] = stored.values();
  if (mineStored === undefined) throw new Error('Nothing is stored');
  stored.clear();
  const theirs = { ...mineStored, memoryId: '01980000-0000-7000-8000-0000000000c1' };
  stored.set(theirs.memoryId, { ...theirs, metadata: { ...theirs.metadata, syncSource: `other-machine:${path}` } });
  const { stderr } = await plain('--dry-run');
  expect(stderr).toBe(
    `${first}Warning: ${SPACE} has the same folder already as other-machine:${path}, and gets its files once more; if it is this folder, continue it with --source 'other-machine:${path}'\n2 would be uploaded\n`,
  );
  expect((await plain('--source', 'mine', '--dry-run')).stderr).toBe(
    `First sync of this folder: ${SPACE} knows it as mine\n2 would be uploaded\n`,
  );
});
