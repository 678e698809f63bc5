import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { inputError } from '../failure.ts';
import type { Io } from '../io.ts';
import { inputName } from './input-name.ts';

/** Large enough that a long line is not put together from thousands of pieces. */
const PIECE_BYTES = 1024 * 1024;

/** The bytes of a file, or of stdin for `-`, as they come. What cannot be read is an input error (exit 66). */
export async function* inputBytes(
  { stdin, cwd }: Pick<Io, 'stdin' | 'cwd'>,
  file: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const stream = file === '-' ? stdin : createReadStream(resolve(cwd, file), { highWaterMark: PIECE_BYTES });
  addAbortSignal(signal, stream);
  try {
    for await (const piece of stream) yield Buffer.from(piece);
  } catch (error) {
    signal.throwIfAborted();
    throw inputError(`Cannot read ${inputName(file)}`, error);
  }
}
