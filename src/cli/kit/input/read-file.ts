import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { EXIT } from '../../../shared/exit-codes.ts';
import { CommandError, inputError } from '../errors.ts';

/** How large an input may be, in bytes. Asked for when one turns out to be large: the answer may be a call away. */
export type SizeLimit = () => Promise<number>;

interface ReadFileOptions {
  /** What messages call the file. */
  name: string;
  limit: SizeLimit;
  signal: AbortSignal;
}

/** Input up to this size is read without asking for the limit. */
const UNASKED_BYTES = 1024 * 1024;
/** Between two looks at the signal; a piece takes less than a millisecond from the page cache. */
const MOST_PIECE_BYTES = 4 * 1024 * 1024;
const FIRST_PIECE_BYTES = 65_536;
const ATTEMPTS = 3;

/** What stands under a path instead of a file, for `Cannot read x: it is …`; undefined for a file. */
export function notAFile(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'it is a folder';
  if (stats.isFIFO()) return 'it is a pipe, not a file; - reads what is piped in';
  if (stats.isSocket()) return 'it is a socket, not a file';
  return 'it is a device, not a file; - reads what is piped in';
}

/**
 * The bytes of a regular file, as they were at one moment: a file that is written to meanwhile is read again, a few times.
 * Never more than the limit is read, whatever the size that the file claims to have (those below /proc claim 0).
 *
 * @throws CommandError exit 66 for what is no file, cannot be read or keeps changing, 65 for what is too large.
 */
export async function readRegularFile(file: string | Buffer, options: ReadFileOptions): Promise<Buffer> {
  const { name, signal } = options;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      const content = await readAtRest(file, options);
      if (content !== undefined) return content;
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof CommandError ? error : inputError(`Cannot read ${name}`, error);
    }
  }
  throw inputError(`Cannot read ${name}`, undefined, 'it kept changing while it was read');
}

/** Undefined when the file was written to meanwhile. */
async function readAtRest(file: string | Buffer, options: ReadFileOptions): Promise<Buffer | undefined> {
  // A pipe that has taken the place of the file meanwhile must not block the thread, nor a terminal become ours.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const before = await handle.stat();
    const problem = notAFile(before);
    if (problem !== undefined) throw inputError(`Cannot read ${options.name}`, undefined, problem);
    if (before.size > UNASKED_BYTES) await requireSize(before.size, options);
    const content = await collectInput(pieces(handle, before.size), options);
    const after = await handle.stat();
    return before.size === after.size && before.mtimeMs === after.mtimeMs ? content : undefined;
  } finally {
    await handle.close();
  }
}

/** Ends soon after `size`, unless that is 0: what comes then is being written, perhaps faster than it can be read. */
async function* pieces(handle: FileHandle, size: number): AsyncGenerator<Buffer> {
  // One more byte than there should be: a read that does not fill its buffer is the last but one.
  let length = size === 0 ? FIRST_PIECE_BYTES : Math.min(size + 1, MOST_PIECE_BYTES);
  for (let given = 0; size === 0 || given <= size; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    given += bytesRead;
    length = Math.min(length * 2, MOST_PIECE_BYTES);
  }
}

/** Puts pieces together, never more than the limit. */
export async function collectInput(input: AsyncIterable<Uint8Array>, options: ReadFileOptions): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const piece of input) {
    options.signal.throwIfAborted();
    length += piece.length;
    if (length > UNASKED_BYTES) await requireSize(length, options);
    parts.push(piece);
  }
  const [only] = parts;
  return only !== undefined && parts.length === 1
    ? Buffer.from(only.buffer, only.byteOffset, length)
    : Buffer.concat(parts, length);
}

async function requireSize(bytes: number, { name, limit }: ReadFileOptions): Promise<void> {
  const most = await limit();
  if (bytes <= most) return;
  throw new CommandError(`${name} is too large`, {
    code: 'PAYLOAD_TOO_LARGE',
    exit: EXIT.badInput,
    details: `the server takes at most ${most / 1_048_576} MiB`,
  });
}
