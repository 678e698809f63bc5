import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { outputError } from '../failure.ts';
import type { Io } from '../io.ts';

/**
 * Writes texts to a file, or to stdout for `-`. The file gets its name only when everything is on the disk: what is there
 * under that name is whole, and a failure leaves what was there before.
 */
export async function writeOutput(
  io: Pick<Io, 'stdout' | 'cwd'>,
  file: string,
  texts: AsyncIterable<string>,
): Promise<void> {
  if (file === '-') {
    for await (const text of texts) await io.stdout.write(text);
    return;
  }
  const path = resolve(io.cwd, file);
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
  const handle = await orFail(file, () => open(partial, 'wx'));
  try {
    await fill(handle, file, texts);
    await orFail(file, () => rename(partial, path));
  } catch (error) {
    await unlink(partial).catch(() => {});
    throw error;
  }
}

async function fill(handle: FileHandle, file: string, texts: AsyncIterable<string>): Promise<void> {
  try {
    for await (const text of texts) await orFail(file, () => handle.writeFile(text));
    await orFail(file, () => handle.sync());
  } catch (error) {
    await handle.close().catch(() => {});
    throw error;
  }
  await orFail(file, () => handle.close());
}

async function orFail<T>(file: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw outputError(file, cause);
  }
}
