import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, readlink, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../shared/async/timer.ts';
import { writeDurably } from './durable-file.ts';

const FILE = 'server.lock';
/** Removing a lock takes milliseconds. */
const TURN_POLL_MS = 10;

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** How often the holder touches its lock; every 2 seconds by default. */
  readonly heartbeatMs?: number;
  /** A lock of another container that has not been touched for this long is stale; 10 seconds by default. */
  readonly silenceMs?: number;
}

/** The process that holds a data directory. Process ids are reused, so its start time is needed as well. */
interface Owner {
  readonly pid: number;
  /** Start of the process in clock ticks since boot; null where the system does not tell. */
  readonly started: string | null;
  /** The boot and the process-id namespace that `pid` is valid in. */
  readonly realm: string;
  readonly nonce: string;
}

export interface DirectoryLock {
  release(): Promise<void>;
}

const unlessMissing = (error: unknown): undefined => {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
    return undefined;
  throw error;
};

/** Field 22 of /proc/<pid>/stat; the command name before it may hold spaces and brackets. */
async function startOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(unlessMissing);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

async function realmOf(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(unlessMissing);
  const namespace = await readlink('/proc/self/ns/pid').catch(unlessMissing);
  return `${boot?.trim() ?? ''} ${namespace ?? ''}`;
}

async function readOwner(path: string): Promise<Owner | undefined> {
  const text = await readFile(path, 'utf8').catch(unlessMissing);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Owner;
  } catch {
    // The file lost its content: whether the holder lives is seen by its heartbeat, as for another container.
    return { pid: 0, started: null, realm: 'unreadable', nonce: text };
  }
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Another process holds the lock of the directory. */
export class DirectoryInUse extends Error {
  readonly pid: number;

  constructor(pid: number) {
    super(`in use by the process ${pid}`);
    this.name = 'DirectoryInUse';
    this.pid = pid;
  }
}

/**
 * Whether the holder still runs. The pid of another container is meaningless here; its heartbeat on the file decides.
 */
async function isHeld(path: string, owner: Owner, realm: string, options: LockOptions): Promise<boolean> {
  if (owner.realm === realm) return processExists(owner.pid) && (await startOf(owner.pid)) === owner.started;
  // Another boot of this machine, or another container on it, or another machine on a shared volume.
  const { silenceMs = 10_000, signal } = options;
  const pollMs = silenceMs / 40;
  const first = await stat(path).catch(unlessMissing);
  for (let waited = 0; waited < silenceMs; waited += pollMs) {
    await sleep(pollMs, signal);
    const now = await stat(path).catch(unlessMissing);
    if (now === undefined) return false;
    if (now.mtimeMs !== first?.mtimeMs) return true;
  }
  return false;
}

/** Creates the lock file atomically, so that no process reads half of it. False if there is one already. */
async function place(path: string, owner: Owner): Promise<boolean> {
  const draft = `${path}.${owner.nonce}`;
  try {
    await writeDurably(draft, JSON.stringify(owner));
    await link(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Removes a stale lock, or waits for the process that removes it: of two at once the slower would remove the new lock
 * of the faster.
 */
async function removeStale(path: string, stale: Owner, own: Owner, options: LockOptions): Promise<void> {
  const turn = `${path}.turn`;
  if (await place(turn, own)) {
    try {
      if ((await readOwner(path))?.nonce === stale.nonce) await rm(path, { force: true });
    } finally {
      await rm(turn, { force: true });
    }
    return;
  }
  const other = await readOwner(turn);
  if (other === undefined) return;
  if (await isHeld(turn, other, own.realm, options)) await sleep(TURN_POLL_MS, options.signal);
  else await rm(turn, { force: true });
}

/**
 * Takes `directory` for this process: two engines on one directory destroy it. The stale lock of a killed process is
 * taken over. Throws DirectoryInUse while another one holds it, and rejects with the reason of the signal when that
 * ends the wait.
 */
export async function lockDirectory(directory: string, options: LockOptions = {}): Promise<DirectoryLock> {
  const path = join(directory, FILE);
  const realm = await realmOf();
  const owner: Owner = { pid: process.pid, started: await startOf(process.pid), realm, nonce: randomUUID() };
  while (!(await place(path, owner))) {
    const holder = await readOwner(path);
    if (holder === undefined) continue;
    if (await isHeld(path, holder, realm, options)) {
      throw new DirectoryInUse(holder.pid);
    }
    await removeStale(path, holder, owner, options);
  }
  const heartbeat = setInterval(() => void touch(path), options.heartbeatMs ?? 2000).unref();
  return {
    async release() {
      clearInterval(heartbeat);
      if ((await readOwner(path))?.nonce === owner.nonce) await rm(path, { force: true });
    },
  };
}

/** Taking the lock of a directory that was just made takes milliseconds. */
const UNLOCKED_MS = 3_600_000;

/**
 * Whether the process that made and locked `directory` has ended. A directory without a lock is abandoned when it was last
 * changed an hour ago and holds nothing but what taking the lock writes: its process ended between the two.
 */
export async function isAbandoned(directory: string, options: LockOptions = {}): Promise<boolean> {
  const path = join(directory, FILE);
  const owner = await readOwner(path);
  if (owner !== undefined) return !(await isHeld(path, owner, await realmOf(), options));
  const made = await stat(directory).catch(unlessMissing);
  if (made === undefined || Date.now() - made.mtimeMs <= UNLOCKED_MS) return false;
  return (await readdir(directory)).every((name) => name.startsWith(`${FILE}.`));
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  // One failure of the disk must not end the server; the next heartbeat tries again.
  await utimes(path, now, now).catch(() => undefined);
}
