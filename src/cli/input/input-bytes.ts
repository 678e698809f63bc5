import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { inputError } from '../failure.ts';
import type { Io } from '../io.ts';
import { inputName } from './input-name.ts';
import { openInput } from './open-input.ts';

/** The bytes of a file, or of stdin for `-`, as they come. What cannot be read is an input error (exit 66). */
export async function* inputBytes(
  { stdin, cwd }: Pick<Io, 'stdin' | 'cwd'>,
  file: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  try {
    const stream = file === '-' ? stdin : await openInput(resolve(cwd, file));
    addAbortSignal(signal, stream);
    for await (const piece of stream) yield Buffer.from(piece);
  } catch (error) {
    signal.throwIfAborted();
    throw inputError(`Cannot read ${inputName(file)}`, error);
  }
}
