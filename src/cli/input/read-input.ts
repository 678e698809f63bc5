import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { inputError } from '../failure.ts';
import type { Io } from '../io.ts';
import { inputName } from './input-name.ts';

/** The bytes of a file, or of stdin for `-`. What cannot be read is an input error (exit 66). */
export async function readInput(io: Pick<Io, 'readStdin' | 'cwd'>, file: string): Promise<Buffer> {
  try {
    return file === '-' ? await io.readStdin() : await readFile(resolve(io.cwd, file));
  } catch (error) {
    throw inputError(`Cannot read ${inputName(file)}`, error);
  }
}
