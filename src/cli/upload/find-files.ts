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
}

/**
 * The files behind the paths of a command line, sorted, each once. Folders are walked to the bottom without names that
 * start with a dot and without `node_modules`; a path that is named itself is always taken. A path that does not exist
 * and has wildcards is a pattern.
 */
export async function findFiles(paths: readonly string[], cwd: string): Promise<FoundFile[]> {
  const found = new Map<string, FoundFile>();
  for (const path of paths) {
    const absolute = resolve(cwd, path);
    for (const file of await expand(path, absolute, cwd)) {
      found.set(file, { file, path: relativePath(file, absolute, cwd) });
    }
  }
  return [...found.values()];
}

async function expand(path: string, absolute: string, cwd: string): Promise<string[]> {
  const stats = await statOf(absolute);
  if (stats?.isDirectory()) return walk(absolute);
  if (stats !== undefined) return [absolute];
  if (!isGlob(path)) throw inputError(`No such file or folder: ${path}`);
  const pattern = globPattern(absolute.split(sep).join('/'));
  const base = resolve(cwd, globBase(path));
  const below = (await statOf(base))?.isDirectory() ? await walk(base) : [];
  const matching = below.filter((file) => pattern.test(file.split(sep).join('/')));
  if (matching.length === 0) throw inputError(`No file matches ${path}`);
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

async function walk(folder: string): Promise<string[]> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    throw inputError(`Cannot read ${folder}`, error);
  }
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    // Links are followed to files only: a link to a folder above would never end.
    if (entry.isDirectory()) files.push(...(await walk(path)));
    else if (entry.isFile() || (entry.isSymbolicLink() && (await statOf(path))?.isFile())) files.push(path);
  }
  return files;
}

function relativePath(file: string, named: string, cwd: string): string {
  const fromCwd = relative(cwd, file);
  const isBelow = fromCwd !== '' && !fromCwd.startsWith('..') && resolve(cwd, fromCwd) === file;
  const shown = isBelow ? fromCwd : relative(dirname(named), file);
  return (shown.startsWith('..') ? basename(file) : shown).split(sep).join('/');
}
