import { randomBytes } from 'node:crypto';
import { constants, openSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { sleep } from '../../shared/async/timer.ts';
import { ERROR_CODES } from '../../shared/errors.ts';
import { CommandError, outputError } from '../kit/errors.ts';
import type { Io } from '../kit/output/io.ts';

type Writer = (texts: AsyncIterable<string>) => Promise<void>;

/** An export has everything of a space in it: only the user who makes it may read it. */
const PRIVATE = 0o600;

/**
 * Prepares to write texts to a file, or to stdout for `-`. The file gets its name only when everything is on the disk: what
 * is there under that name is whole, and a failure leaves what was there before. A file that is replaced hands its mode on,
 * and one that a link leads to is replaced where it is. Devices and named pipes are written to as they are, with `force`
 * or without: nothing of theirs is lost.
 *
 * @throws CommandError (exit 65) when there is such a file and `force` is not set: now, or at the end when it came
 *   meanwhile; (exit 74) for what can be neither replaced nor written to.
 */
export async function openOutput(
  { stdout, cwd, signal }: Pick<Io, 'stdout' | 'cwd' | 'signal'>,
  file: string,
  { force }: { force: boolean },
): Promise<Writer> {
  if (file === '-') {
    return async (texts) => {
      for await (const text of texts) await stdout.write(text);
    };
  }
  const path = resolve(cwd, file);
  const there = await existing(path);
  if (there?.isFIFO() || there?.isCharacterDevice()) {
    const opened = (): Promise<NamedPipe> => (there.isFIFO() ? openPipe(path, signal) : open(path, constants.O_WRONLY));
    return async (texts) => closing(await orFail(file, opened), file, (output) => write(output, file, texts));
  }
  if (await isTaken(path)) {
    if (!force) throw alreadyThere(file);
    const reason = unfit(there);
    if (reason !== undefined) throw outputError(file, new Error(reason));
  }
  return (texts) => replacing(path, { file, force, texts });
}

interface Replacement {
  /** As it was named. */
  file: string;
  force: boolean;
  texts: AsyncIterable<string>;
}

async function replacing(path: string, { file, force, texts }: Replacement): Promise<void> {
  const before = force ? await existing(path) : undefined;
  const target = force && (await isTaken(path)) ? await orFail(file, () => realpath(path)) : path;
  const partial = `${target}.${randomBytes(4).toString('hex')}.partial`;
  const handle = await orFail(file, () => open(partial, 'wx', PRIVATE));
  try {
    await closing(handle, file, async () => {
      if (before !== undefined) await orFail(file, () => takeRights(handle, before));
      await write(handle, file, texts);
      await orFail(file, () => handle.sync());
    });
    if (!force && (await isTaken(path))) throw alreadyThere(file);
    await orFail(file, () => rename(partial, target));
  } catch (error) {
    await unlink(partial).catch(() => {});
    throw error;
  }
}

/** Why what is there cannot be replaced. */
function unfit(there: Stats | undefined): string | undefined {
  if (there === undefined) return 'it is a link that leads nowhere';
  if (there.isDirectory()) return 'it is a folder';
  return there.isFile() ? undefined : 'it is a block device or a socket, not a file';
}

/** What a path leads to, through links; undefined where it leads nowhere. */
async function existing(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

/** Also by a link that leads nowhere. */
async function isTaken(path: string): Promise<boolean> {
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

async function write(output: NamedPipe, file: string, texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) await orFail(file, () => output.writeFile(text));
}

/** Closes what was opened, however the writing ends. */
async function closing<O extends NamedPipe>(output: O, file: string, run: (output: O) => Promise<void>): Promise<void> {
  try {
    await run(output);
  } catch (error) {
    await output.close().catch(() => {});
    throw error;
  }
  await orFail(file, () => output.close());
}

/** Where the owner cannot be kept, the rights of the group would be another group's. */
async function takeRights(handle: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const own = await handle.stat();
  const isKept =
    (own.uid === uid && own.gid === gid) ||
    (await handle.chown(uid, gid).then(
      () => true,
      () => false,
    ));
  await handle.chmod(mode & (isKept ? 0o777 : 0o700));
}

async function orFail<T>(file: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw outputError(file, cause);
  }
}

const POLL_MS = 50;

interface NamedPipe {
  /** Ends when the pipe has taken the text. */
  writeFile(text: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a named pipe to write, once it has a reader, as every writer does. Nothing here blocks a thread: one that waits in
 * `open` or `write` could be ended by no signal, nor by the end of the process.
 *
 * @throws the error of the system (EPIPE from a write when the reader has gone away), or the reason of the signal.
 */
async function openPipe(path: string, signal: AbortSignal): Promise<NamedPipe> {
  const fd = await openForReader(path, signal);
  const socket = addAbortSignal(signal, new Socket({ fd, readable: false, writable: true }));
  // Each write tells its own failure.
  socket.on('error', () => {});
  return {
    writeFile: (text) =>
      new Promise((resolve, reject) => void socket.write(text, (error) => (error ? reject(error) : resolve()))),
    close: () =>
      new Promise((resolve) => {
        if (socket.closed) return resolve();
        socket.once('close', () => resolve());
        socket.destroySoon();
      }),
  };
}

async function openForReader(path: string, signal: AbortSignal): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      // No reader has opened it yet.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENXIO')) throw error;
    }
    await sleep(POLL_MS, signal);
  }
}
