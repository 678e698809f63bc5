import { type CommandError, inputError } from '../failure.ts';
import type { Io } from '../io.ts';
import { inputBytes } from './input-bytes.ts';
import { inputName } from './input-name.ts';
import { collect } from './read-file.ts';

export type InputIo = Pick<Io, 'stdin' | 'cwd' | 'signal'>;

/** More than any call carries. Devices have no end, and pipes need not have one. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * The bytes of a file or pipe, or of stdin for `-`. What cannot be read is an input error (exit 66), and so is a stdin
 * without a byte: more often than not whatever should have written into the pipe has failed.
 */
export async function readInput(io: InputIo, file: string): Promise<Buffer> {
  const bytes = await readBytes(io, file);
  if (file === '-' && bytes.length === 0) throw emptyStdin();
  return bytes;
}

export function emptyStdin(): CommandError {
  return inputError('stdin is empty', undefined, 'nothing was piped in');
}

/** The same, where nothing at all may be an answer. */
export async function readBytes(io: InputIo, file: string): Promise<Buffer> {
  const { signal } = io;
  return collect(inputBytes(io, file, signal), { name: inputName(file), limit: async () => MOST_BYTES, signal });
}
