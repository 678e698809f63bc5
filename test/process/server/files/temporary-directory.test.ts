import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDirectory } from '../../../../src/server/files/directory-lock.ts';
import { makeTemporaryDirectory, sweepTemporaryDirectories } from '../../../../src/server/files/temporary-directory.ts';
import { SOURCES, source } from '../../../support/built.ts';

let parent = '';
const children: ChildProcess[] = [];

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'svc-sweep-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) await killed(child);
  await rm(parent, { recursive: true, force: true });
});

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** A process that has a temporary directory; gives both. */
async function owner(kind = 'socket'): Promise<{ child: ChildProcess; path: string }> {
  const code = `const { makeTemporaryDirectory } = await import('${source('server/files/temporary-directory.ts')}');
    console.log((await makeTemporaryDirectory('${kind}', '${parent}')).path); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, [...SOURCES, '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [data] = await once(child.stdout, 'data');
  return { child, path: String(data).trim() };
}

const sweep = () => sweepTemporaryDirectories({ silenceMs: 1000 }, parent);
const left = () => readdir(parent);

test('a directory is private, and is removed when its owner closes it', async () => {
  const { path, remove } = await makeTemporaryDirectory('socket', parent);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  await remove();
  expect(await left()).toEqual([]);
});

test.each(['socket', 'upload'])(
  'the directory of a killed process is removed, that of a running one is not: %s',
  async (kind) => {
    const [gone, alive] = [await owner(kind), await owner(kind)];
    await writeFile(join(gone.path, '.s.PGSQL.5432'), '');
    await sweep();
    expect((await left()).sort()).toEqual([basename(gone.path), basename(alive.path)].sort());
    await killed(gone.child);
    await sweep();
    expect(await left()).toEqual([basename(alive.path)]);
  },
);

test('a process that reuses the PID does not keep it', async () => {
  const { path } = await makeTemporaryDirectory('socket', parent);
  const file = join(path, 'server.lock');
  const lock = JSON.parse(await readFile(file, 'utf8')) as object;
  await writeFile(file, JSON.stringify({ ...lock, started: '1' }));
  await sweep();
  expect(await left()).toEqual([]);
});

test('that of another container is kept while its owner updates its time, and removed when that stops', async () => {
  const path = await mkdtemp(join(parent, 'svc-db-'));
  const lock = await lockDirectory(path, { heartbeatMs: 20 });
  await writeFile(join(path, 'server.lock'), JSON.stringify({ pid: 1, started: '1', realm: 'elsewhere', nonce: 'x' }));
  await sweep();
  expect(await left()).toEqual([basename(path)]);
  await lock.release();
  await sweep();
  expect(await left()).toEqual([]);
});

test('directories without a lock, with another name, and links are kept', async () => {
  const elsewhere = await makeTemporaryDirectory('socket', await mkdtemp(join(parent, 'other-')));
  const file = join(elsewhere.path, 'server.lock');
  await writeFile(file, (await readFile(file, 'utf8')).replace(/"started":"\d+"/, '"started":"1"'));
  await symlink(elsewhere.path, join(parent, 'svc-db-link'));
  await mkdir(join(parent, 'svc-db-newone'));
  const before = await left();
  await sweep();
  expect(await left()).toEqual(before);
  expect(await readdir(elsewhere.path)).toEqual(['server.lock']);
});

test('a directory without a lock is removed after an hour', async () => {
  const old = await mkdtemp(join(parent, 'svc-upload-'));
  const made = new Date(Date.now() - 2 * 3_600_000);
  await utimes(old, made, made);
  await mkdir(join(parent, 'svc-upload-newone'));
  const locking = await mkdtemp(join(parent, 'svc-db-'));
  await writeFile(join(locking, 'server.lock.draft'), '{');
  await utimes(locking, made, made);
  await sweep();
  expect(await left()).toEqual(['svc-upload-newone']);
});

test.each(['svc-db-backup', 'svc-upload-A1b2C3', 'svc-db-A1b2C3'])(
  'an old directory of the user named %s keeps its files',
  async (name) => {
    const own = join(parent, name);
    await mkdir(own);
    await writeFile(join(own, 'dump.sql'), 'select 1');
    const made = new Date(Date.now() - 2 * 3_600_000);
    await utimes(own, made, made);
    await sweep();
    expect(await readdir(own)).toEqual(['dump.sql']);
  },
);

test.runIf(process.getuid?.() === 0)('that of another user is kept', async () => {
  const { child, path } = await owner();
  await killed(child);
  await chown(path, 12_345, 12_345);
  await sweep();
  expect(await left()).toEqual([basename(path)]);
});
