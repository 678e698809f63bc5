import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAbandoned, type LockOptions, lockDirectory } from '../lock.ts';

const PREFIX = 'svc-db-';

export interface SocketDirectory {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * A new private directory for a UNIX socket, below the temporary folder because the path of a socket ends at 107 bytes.
 * It is locked, so that others can see whether its owner is still there.
 */
export async function makeSocketDirectory(parent: string = tmpdir()): Promise<SocketDirectory> {
  const path = await mkdtemp(join(parent, PREFIX));
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
 * Removes the socket directories of this user's processes that were killed. One that is not locked may be a moment old and
 * stays; what cannot be removed lies there as before, and harms nobody. Waits for a heartbeat of those from another
 * container or boot.
 */
export async function sweepSocketDirectories(options: LockOptions, parent: string = tmpdir()): Promise<void> {
  const entries = await readdir(parent, { withFileTypes: true });
  const named = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith(PREFIX));
  await Promise.allSettled(named.map(({ name }) => removeAbandoned(join(parent, name), options)));
}

async function removeAbandoned(path: string, options: LockOptions): Promise<void> {
  const { uid } = await lstat(path);
  if (process.getuid !== undefined && uid !== process.getuid()) return;
  if (await isAbandoned(path, options)) await rm(path, { recursive: true, force: true });
}
