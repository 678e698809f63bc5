import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { inputError } from '../failure.ts';
import { globBase, globPattern, isGlob } from './glob.ts';

/** A file to upload. */
export interface FoundFile {
  /** Where to read it. */
  file: string;
  /** With `/`: below the working folder as seen from there, else as seen from the parent of what was named. */
  path: string;
  /** Its size when it was found. */
  bytes: number;
}

export interface FindOptions {
  cwd: string;
  signal: AbortSignal;
  /** Told how many there are so far. */
  onFound?: (count: number) => void;
}

/** Files whose sizes are looked up at once. */
const STATS_AT_ONCE = 64;

/**
 * The files behind the paths of a command line, sorted, each once. Folders are walked to the bottom without names that
 * start with a dot and without `node_modules`; a path that is named itself is always taken. A path that does not exist
 * and has wildcards is a pattern.
 */
export async function findFiles(
  paths: readonly string[],
  { cwd, signal, onFound = () => {} }: FindOptions,
): Promise<FoundFile[]> {
  const found = new Map<string, string>();
  const tell = (more: number): void => onFound(found.size + more);
  for (const path of paths) {
    const absolute = resolve(cwd, path);
    for (const file of await expand(path, absolute, { cwd, signal, onFound: tell })) {
      found.set(file, relativePath(file, absolute, cwd));
    }
  }
  return measured([...found], signal);
}

async function measured(files: readonly (readonly [file: string, path: string])[], signal: AbortSignal) {
  const all: FoundFile[] = [];
  for (let at = 0; at < files.length; at += STATS_AT_ONCE) {
    signal.throwIfAborted();
    const some = files.slice(at, at + STATS_AT_ONCE);
    // A file that cannot be looked at fails when it is read, and alone.
    const sized = some.map(async ([file, path]) => ({ file, path, bytes: await sizeOf(file) }));
    all.push(...(await Promise.all(sized)));
  }
  return all;
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

interface Walk extends FindOptions {
  onFound: (count: number) => void;
}

const FROM_HERE = 'Paths count from the working folder; a pattern does not match hidden files';

async function expand(path: string, absolute: string, walk: Walk): Promise<string[]> {
  const stats = await statOf(absolute);
  if (stats?.isDirectory()) return filesBelow(absolute, walk);
  if (stats !== undefined) return [absolute];
  if (!isGlob(path)) throw inputError(`No such file or folder: ${path}`, undefined, FROM_HERE);
  const pattern = globPattern(absolute.split(sep).join('/'));
  const base = resolve(walk.cwd, globBase(path));
  const below = (await statOf(base))?.isDirectory() ? await filesBelow(base, walk) : [];
  const matching = below.filter((file) => pattern.test(file.split(sep).join('/')));
  if (matching.length === 0) throw inputError(`No file matches ${path}`, undefined, FROM_HERE);
  return matching;
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw inputError(`Cannot read ${path}`, error);
  }
}

async function filesBelow(folder: string, { signal, onFound }: Walk): Promise<string[]> {
  const files: string[] = [];
  const walk = async (from: string): Promise<void> => {
    signal.throwIfAborted();
    for (const entry of await entriesOf(from)) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = join(from, entry.name);
      // Links are followed to files only: a link to a folder above would never end.
      if (entry.isDirectory()) await walk(path);
      else if (entry.isFile() || (entry.isSymbolicLink() && (await statOf(path))?.isFile())) files.push(path);
    }
    onFound(files.length);
  };
  await walk(folder);
  return files;
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw inputError(`Cannot read ${folder}`, error);
  }
}

function relativePath(file: string, named: string, cwd: string): string {
  const fromCwd = relative(cwd, file);
  const isBelow = fromCwd !== '' && !fromCwd.startsWith('..') && resolve(cwd, fromCwd) === file;
  const shown = isBelow ? fromCwd : relative(dirname(named), file);
  return (shown.startsWith('..') ? basename(file) : shown).split(sep).join('/');
}
