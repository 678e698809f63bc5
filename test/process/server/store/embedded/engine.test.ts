import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DirectoryInUse, lockDirectory } from '../../../../../src/server/files/directory-lock.ts';
import { startEmbedded } from '../../../../../src/server/store/embedded/engine.ts';
import { openDatabase } from '../../../../../src/server/store/open.ts';
import { built, SOURCES, source } from '../../../../support/built.ts';
import { makeDataDirectory } from '../../../../support/data-root.ts';
import { fillDataDirectory } from '../../../../support/database.ts';

const workerUrl = built('server/store/embedded/worker.js');
const ONE = { name: 'test_one', text: 'select 1 as one' };

let dataDir: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  dataDir = await makeDataDirectory();
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  await rm(dataDir, { recursive: true, force: true });
});

/** Runs a piece of code in a process of its own and waits until it prints `ready`. */
async function inProcess(code: string): Promise<ChildProcess> {
  // A killed process leaves its socket directory behind: in the directory that the test removes,
  // where nothing else may be left.
  const env = { ...process.env, TMPDIR: dataDir, TSX_DISABLE_CACHE: '1' };
  const child = spawn(process.execPath, [...SOURCES, '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  children.push(child);
  const exited = once(child, 'exit').then(([code]) => `exit ${code}`);
  const text = await Promise.race([once(child.stdout, 'data').then(([data]) => data), exited]);
  expect(String(text)).toBe('ready\n');
  return child;
}

const HOLD = `console.log('ready'); setInterval(() => {}, 1000);`;

describe('the lock of a data directory', () => {
  const takeLock = () =>
    inProcess(`const { lockDirectory } = await import('${source('server/files/directory-lock.ts')}');
      await lockDirectory('${dataDir}'); ${HOLD}`);

  test('names the process that holds it, and is free after that process was killed', async () => {
    const child = await takeLock();
    const refused = lockDirectory(dataDir);
    await expect(refused).rejects.toThrow(DirectoryInUse);
    await expect(refused).rejects.toThrow(`in use by the process ${child.pid}`);
    const message = `The data directory ${dataDir} is in use by the process ${child.pid}.`;
    await expect(startEmbedded({ dataDir })).rejects.toMatchObject({ name: 'FatalDatabaseError', message });
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lock = await lockDirectory(dataDir);
    await lock.release();
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('is not held by a process that reuses the PID', async () => {
    const child = await takeLock();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const own = await lockDirectory(dataDir);
    const file = join(dataDir, 'server.lock');
    const { realm } = JSON.parse(await readFile(file, 'utf8'));
    await own.release();
    await writeFile(file, JSON.stringify({ pid: process.pid, started: '1', realm, nonce: 'old' }));
    await (await lockDirectory(dataDir)).release();
  });

  test('goes to exactly one of concurrent processes when it is stale', async () => {
    const child = await takeLock();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => lockDirectory(dataDir)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('is taken over after a process was killed during a takeover', async () => {
    const child = await takeLock();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const file = join(dataDir, 'server.lock');
    await copyFile(file, `${file}.turn`);
    await (await lockDirectory(dataDir)).release();
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('of another container is valid while its file is touched, and taken over when it is not', async () => {
    const silenceMs = 1000;
    const holder = await lockDirectory(dataDir, { heartbeatMs: 20 });
    const file = join(dataDir, 'server.lock');
    await writeFile(file, JSON.stringify({ pid: 1, started: '1', realm: 'elsewhere', nonce: 'theirs' }));
    await expect(lockDirectory(dataDir, { silenceMs })).rejects.toThrow(/in use by the process 1$/);
    await holder.release();
    await (await lockDirectory(dataDir, { silenceMs })).release();
  });

  test('with an empty file is taken over, unless the signal aborts the wait for its holder', async () => {
    const file = join(dataDir, 'server.lock');
    await writeFile(file, '');
    const ended = lockDirectory(dataDir, { signal: AbortSignal.abort() });
    await expect(ended).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    await (await lockDirectory(dataDir, { silenceMs: 100 })).release();
    expect(await readdir(dataDir)).toEqual([]);
  });
});

describe('the embedded engine', () => {
  test('keeps what was committed, in a private directory, and leaves nothing else behind', async () => {
    await chmod(dataDir, 0o755);
    const engine = await startEmbedded({ dataDir, workerUrl });
    const db = await openDatabase({ target: engine.target, embedded: true });
    await db.main.script('create table kept (id int4); insert into kept values (7);');
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    expect((await stat(engine.target.host)).mode & 0o777).toBe(0o700);
    await expect(startEmbedded({ dataDir, workerUrl })).rejects.toThrow(`in use by the process ${process.pid}.`);
    await db.close();
    await engine.close();
    expect(existsSync(engine.target.host)).toBe(false);
    expect(await readdir(dataDir)).toEqual(['postgres']);

    const again = await startEmbedded({ dataDir, workerUrl });
    const reopened = await openDatabase({ target: again.target, embedded: true });
    expect(await reopened.main.query({ name: 'test_kept', text: 'select id from kept' })).toEqual([{ id: 7 }]);
    await reopened.close();
    await again.close();
  });

  test('comes back after SIGKILL with everything that was committed', async () => {
    await fillDataDirectory(dataDir, { migrated: false });
    const child = await inProcess(`
      const { startEmbedded } = await import('${source('server/store/embedded/engine.ts')}');
      const { openDatabase } = await import('${source('server/store/open.ts')}');
      const engine = await startEmbedded({ dataDir: '${dataDir}' });
      const db = await openDatabase({ target: engine.target, embedded: true });
      await db.main.script('create table kept (id int4)');
      await db.main.withTx((tx) => tx.script('insert into kept select generate_series(1, 1000)'));
      ${HOLD}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const engine = await startEmbedded({ dataDir, workerUrl });
    const db = await openDatabase({ target: engine.target, embedded: true });
    expect(await db.main.query({ name: 'test_n', text: 'select count(*) as n from kept' })).toEqual([{ n: 1000 }]);
    await db.close();
    await engine.close();
  });

  test('reports the exit of its thread, and calls fail instead of hanging', async () => {
    await fillDataDirectory(dataDir, { migrated: false });
    const workers: Worker[] = [];
    process.once('worker', (worker) => workers.push(worker));
    const engine = await startEmbedded({ dataDir, workerUrl });
    const db = await openDatabase({ target: engine.target, embedded: true, acquireTimeoutMs: 2000 });
    const slow = db.main.query({ name: 'test_slow', text: 'select count(*) from generate_series(1, 8000000)' });
    const outcome = slow.catch((error: unknown) => error);
    expect(workers).toHaveLength(1);
    await workers[0]?.terminate();
    expect((await engine.failed).message).toMatch(/embedded database ended/);
    expect(await outcome).toMatchObject({ code: 'UNAVAILABLE' });
    await expect(db.main.query(ONE)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await db.close(0);
    await engine.close();
    expect(await readdir(dataDir)).toEqual(['postgres']);
  });

  test('survives a client that disconnects in the middle of a transaction', async () => {
    await fillDataDirectory(dataDir, { migrated: false });
    const engine = await startEmbedded({ dataDir, workerUrl });
    const first = await openDatabase({ target: engine.target, embedded: true });
    await first.main.script('create table kept (id int4)');
    const work = first.main.withTx(async (tx) => {
      await tx.script('insert into kept values (1)');
      await first.close(0);
      await tx.query(ONE);
    });
    await expect(work).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const second = await openDatabase({ target: engine.target, embedded: true });
    expect(await second.main.query(ONE)).toEqual([{ one: 1 }]);
    expect(await second.main.query({ name: 'test_n', text: 'select count(*) as n from kept' })).toEqual([{ n: 0 }]);
    await second.close();
    await engine.close();
  });

  test('an unusable directory is reported in a sentence, and an aborted start leaves no lock', async () => {
    const file = join(dataDir, 'file');
    await writeFile(file, '');
    await expect(startEmbedded({ dataDir: file, workerUrl })).rejects.toThrow(
      /cannot be restricted to the user of the server/,
    );
    await expect(startEmbedded({ dataDir, workerUrl, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    expect(await readdir(dataDir)).not.toContain('server.lock');
  });
});
