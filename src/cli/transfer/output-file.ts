import { randomBytes } from 'node:crypto';
import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ERROR_CODES } from '../../shared/errors.ts';
import { CommandError, outputError } from '../failure.ts';
import type { Io } from '../io.ts';

/**
 * Prepares to write texts to a file, or to stdout for `-`. The file gets its name only when everything is on the disk: what
 * is there under that name is whole, and a failure leaves what was there before.
 *
 * @throws CommandError (exit 65) when there is such a file and `force` is not set: now, or at the end when it came meanwhile.
 */
export async function openOutput(
  io: Pick<Io, 'stdout' | 'cwd'>,
  file: string,
  { force }: { force: boolean },
): Promise<(texts: AsyncIterable<string>) => Promise<void>> {
  if (file === '-') {
    return async (texts) => {
      for await (const text of texts) await io.stdout.write(text);
    };
  }
  const path = resolve(io.cwd, file);
  if (!force && (await exists(path))) throw alreadyThere(file);
  return async (texts) => {
    const partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
    const handle = await orFail(file, () => open(partial, 'wx'));
    try {
      await fill(handle, file, texts);
      if (!force && (await exists(path))) throw alreadyThere(file);
      await orFail(file, () => rename(partial, path));
    } catch (error) {
      await unlink(partial).catch(() => {});
      throw error;
    }
  };
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function alreadyThere(file: string): CommandError {
  return new CommandError(`${file} exists already`, {
    code: 'ALREADY_EXISTS',
    exit: ERROR_CODES.ALREADY_EXISTS.exit,
    next: 'Choose another name, or replace it with -f',
  });
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
