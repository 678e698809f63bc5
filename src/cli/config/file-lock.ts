import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { sleep } from '../../shared/async/sleep.ts';

const RETRY_MS = 20;
/** Work under the lock takes milliseconds: a lock of this age was left behind by a process that was killed. */
const STALE_MS = 10_000;
const WAIT_MS = 15_000;

/** A lock that is held. */
export interface FileLock {
  /** Whether it still is: another process may have taken it from one that stood still for long. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Takes a lock against other processes: a file that only one can create.
 *
 * @throws the file system's error when the file cannot be created at all, and an Error when the lock stays taken.
 */
export async function takeLock(path: string, signal: AbortSignal): Promise<FileLock> {
  const token = randomUUID();
  const end = Date.now() + WAIT_MS;
  while (!(await create(path, token))) {
    if (Date.now() > end) throw new Error(`${path} is held by another process`);
    await removeStale(path);
    await sleep(RETRY_MS, signal);
  }
  const isHeld = async (): Promise<boolean> => (await readFile(path, 'utf8').catch(() => '')) === token;
  return {
    isHeld,
    release: async () => {
      if (await isHeld()) await rm(path, { force: true });
    },
  };
}

async function create(path: string, token: string): Promise<boolean> {
  let file: FileHandle;
  try {
    file = await open(path, 'wx', 0o600);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  try {
    await file.writeFile(token).finally(() => file.close());
    return true;
  } catch (error) {
    // On a full disk: nobody could tell whose lock it is, and everybody would wait for it.
    await rm(path, { force: true });
    throw error;
  }
}

/** Moved away under a name of its own, so that of several processes that find it stale one alone removes it. */
async function removeStale(path: string): Promise<void> {
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  if (age < STALE_MS) return;
  const aside = `${path}.${randomUUID()}`;
  await rename(path, aside).catch(() => {});
  await rm(aside, { force: true });
}
