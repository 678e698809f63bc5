import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAbandoned, type LockOptions, lockDirectory } from './directory-lock.ts';

/** How the names of temporary directories begin, by what is in them. */
const PREFIXES = { socket: 'svc-db-', upload: 'svc-upload-' } as const;

export interface TemporaryDirectory {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * A new private directory below the temporary folder. It is locked, so that others can see whether its owner is still
 * there.
 */
export async function makeTemporaryDirectory(
  kind: keyof typeof PREFIXES,
  parent: string = tmpdir(),
): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(parent, PREFIXES[kind]));
  const discard = () => rm(path, { recursive: true, force: true });
  try {
    const lock = await lockDirectory(path);
    return { path, remove: () => lock.release().finally(discard) };
  } catch (error) {
    await discard();
    throw error;
  }
}

/**
 * Removes the temporary directories of this user's processes that were killed. One that is not locked may be a moment old
 * and stays; what cannot be removed lies there as before, and harms nobody. Waits for a heartbeat of those from another
 * container or boot.
 */
export async function sweepTemporaryDirectories(options: LockOptions, parent: string = tmpdir()): Promise<void> {
  const entries = await readdir(parent, { withFileTypes: true });
  const prefixes = Object.values(PREFIXES);
  const named = entries.filter(({ name }) => prefixes.some((prefix) => name.startsWith(prefix)));
  const directories = named.filter((entry) => entry.isDirectory());
  await Promise.allSettled(directories.map(({ name }) => removeAbandoned(join(parent, name), options)));
}

/** Clears away what killed servers left, beside the start of this one; the returned function ends that. */
export function startSweep(): () => Promise<void> {
  const stop = new AbortController();
  const done = sweepTemporaryDirectories({ signal: stop.signal }).catch(() => {});
  return () => {
    stop.abort();
    return done;
  };
}

async function removeAbandoned(path: string, options: LockOptions): Promise<void> {
  const { uid } = await lstat(path);
  if (process.getuid !== undefined && uid !== process.getuid()) return;
  if (await isAbandoned(path, options)) await rm(path, { recursive: true, force: true });
}
