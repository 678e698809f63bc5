import type { Io } from '../io.ts';
import { inputBytes } from './input-bytes.ts';
import { inputName } from './input-name.ts';
import { collect } from './read-file.ts';

export type InputIo = Pick<Io, 'stdin' | 'cwd' | 'signal'>;

/** More than any call carries. Devices have no end, and pipes need not have one. */
const MOST_BYTES = 256 * 1024 * 1024;

/** The bytes of a file or pipe, or of stdin for `-`. What cannot be read is an input error (exit 66). */
export async function readInput(io: InputIo, file: string): Promise<Buffer> {
  const { signal } = io;
  return collect(inputBytes(io, file, signal), { name: inputName(file), limit: async () => MOST_BYTES, signal });
}
