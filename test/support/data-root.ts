import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory. A data directory has a thousand files: to make them there takes a tenth of the time of a disk. */
const MEMORY = '/dev/shm';
/** What the data directories of one run may come to, large uploads and all. */
const ROOM_BYTES = 4 * 1024 ** 3;

/** Makes the folder for the data directories of this run; returns what removes it with all that tests left in it. */
export function openDataRoot(): () => void {
  const parent = hasRoom() ? MEMORY : tmpdir();
  for (const name of readdirSync(parent)) {
    // A run that was killed could not remove its own.
    const pid = /^svc-tests-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const root = join(parent, `svc-tests-${process.pid}`);
  mkdirSync(root, { recursive: true });
  process.env.SVC_TEST_DATA = root;
  return () => rmSync(root, { recursive: true, force: true });
}

/** A new folder for the data of one embedded engine. */
export function makeDataDirectory(): Promise<string> {
  return mkdtemp(join(process.env.SVC_TEST_DATA ?? tmpdir(), 'svc-test-'));
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
