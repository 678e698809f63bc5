import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LicenseProblem } from './parse-license.ts';

/** Far beyond any license, and small enough that something else is noticed before it is read. */
const MAX_BYTES = 65_536;

export interface LicenseFile {
  filename: string;
  text: string;
  /** Lower-case hexadecimal, of the bytes. */
  sha256: string;
  sizeBytes: number;
  /** Epoch milliseconds. */
  modifiedAt: number;
}

/**
 * The license file that counts: of `*.json`, hidden files aside, the last name in the order of code units. Undefined when
 * there is none, or no such directory. Throws LicenseProblem when it cannot be read.
 */
export async function findLicense(directory: string): Promise<LicenseFile | undefined> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw new LicenseProblem(`cannot be listed (${error.code})`, { cause: error });
  });
  const filename = names
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .at(-1);
  return filename === undefined ? undefined : await readLicense(directory, filename);
}

async function readLicense(directory: string, filename: string): Promise<LicenseFile> {
  let file: FileHandle | undefined;
  try {
    // Links are followed, since mounted configuration consists of them; a pipe is not waited for.
    file = await open(join(directory, filename), constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) throw new LicenseProblem(`${filename} is not a file`);
    if (stats.size > MAX_BYTES) throw new LicenseProblem(`${filename} is larger than ${MAX_BYTES} bytes`);
    const bytes = await file.readFile();
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const text = bytes.toString('utf8');
    return { filename, text, sha256, sizeBytes: bytes.length, modifiedAt: Math.trunc(stats.mtimeMs) };
  } catch (error) {
    if (error instanceof LicenseProblem) throw error;
    const reason = error instanceof Error && 'code' in error ? error.code : error;
    throw new LicenseProblem(`${filename} cannot be read (${reason})`, { cause: error });
  } finally {
    await file?.close();
  }
}
