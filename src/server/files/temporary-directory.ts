import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAbandoned, type LockOptions, lockDirectory } from './directory-lock.ts';

/** How the names of temporary directories begin, by what is in them. */
const PREFIXES = { socket: 'svc-db-', upload: 'svc-upload-' } as const;

/** As `mkdtemp` completes such names: what people call by a longer one is theirs. */
const MADE_HERE = new RegExp(`^(?:${Object.values(PREFIXES).join('|')})[A-Za-z0-9]{6}$`);

export interface TemporaryDirectory {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * A new private directory below the temporary folder. It is locked, so that other processes can see whether its owner
 * still runs.
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
 * Removes the temporary directories that killed processes of this user left. A new directory without a lock is about to
 * get it and stays; one that cannot be removed stays, too. Waits for a heartbeat of those from another container or
 * boot.
 */
export async function sweepTemporaryDirectories(options: LockOptions, parent: string = tmpdir()): Promise<void> {
  const entries = await readdir(parent, { withFileTypes: true });
  const named = entries.filter(({ name }) => MADE_HERE.test(name));
  const directories = named.filter((entry) => entry.isDirectory());
  await Promise.allSettled(directories.map(({ name }) => removeAbandoned(join(parent, name), options)));
}

/** Removes what killed servers left, in the background; the returned function ends that. */
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
