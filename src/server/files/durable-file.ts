import { open } from 'node:fs/promises';

/**
 * Writes a new file that only its owner can read, and returns when it is on the disk and not only in its cache: a name
 * given to it afterwards must not outlive the content when the power fails. Throws EEXIST where there is one already.
 */
export async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Puts the names in `directory` on the disk: what was linked or renamed there stays after the power fails. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
