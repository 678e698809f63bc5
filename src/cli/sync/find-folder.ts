import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { inputError, usageError } from '../kit/errors.ts';
import { type Found, outcomeOf } from '../upload/find-files.ts';
import { walk } from '../upload/walk.ts';
import { type IgnoreOptions, IgnoreRules } from './ignore-rules.ts';

/** The files of a folder, under paths that begin with the name that the space has for it. */
export interface FoundFolder extends Found {
  /** Whether a path is that of a file, or may be: what cannot be read is not gone. */
  isThere(path: string): boolean;
  /** Whether there is a file by now at a path that was gone, and that is not left out. */
  isBack(path: string): Promise<boolean>;
}

export interface FindFolderOptions extends IgnoreOptions {
  /** What all paths begin with. */
  root: string;
  signal: AbortSignal;
  onFound: (count: number) => void;
}

/**
 * The folder that a path names, free of links.
 *
 * @throws CommandError exit 66 when there is none, 64 when it is a file.
 */
export async function folderOf(cwd: string, path: string): Promise<string> {
  try {
    const folder = await realpath(resolve(cwd, path));
    if ((await stat(folder)).isDirectory()) return folder;
  } catch (error) {
    throw inputError(`Cannot read ${path}`, error);
  }
  throw usageError(`${path} is not a folder`, { next: 'For a file: svc memories add SPACE FILE' });
}

export async function findFolder({ signal, onFound, root, ...options }: FindFolderOptions): Promise<FoundFolder> {
  const rules = new IgnoreRules(options);
  const { files, passedOver } = await walk(options.folder, {
    signal,
    onFound,
    leavesOut: (path, isFolder) => rules.leavesOut(path, isFolder),
    onFolder: (path) => rules.enter(path),
  });
  const start = root === '' ? '' : `${root}/`;
  const named = (path: string): string => [root, path].filter((part) => part !== '').join('/');
  const leftOut = new Set(passedOver.filter(({ kind }) => kind === 'left out').map(({ path }) => path));
  const there = new Set(
    [...files, ...passedOver].filter(({ path }) => !leftOut.has(path)).map(({ path }) => named(path)),
  );
  const closed = passedOver.filter((one) => one.kind === 'unreadable' && one.isFolder).map(({ path }) => named(path));
  return {
    files: files.map((file) => ({ ...file, path: named(file.path) })),
    passedOver: passedOver.map((one) => outcomeOf(one, named(one.path))),
    isThere: (path) => there.has(path) || closed.some((folder) => path.startsWith(`${folder}/`)),
    isBack: async (path) => {
      const below = path.slice(start.length);
      if (!path.startsWith(start) || leftOut.has(below)) return false;
      return !isWithinLeftOut(rules, below) && (await isFile(join(options.folder, below)));
    },
  };
}

function isWithinLeftOut(rules: IgnoreRules, path: string): boolean {
  const parts = path.split('/');
  return parts.some((_, index) => rules.leavesOut(parts.slice(0, index + 1).join('/'), index + 1 < parts.length));
}

/** A file, or something of which that cannot be told; not through links to folders, which no walk follows. */
async function isFile(file: string): Promise<boolean> {
  try {
    if ((await realpath(dirname(file))) !== dirname(file)) return false;
    const stats = await lstat(file);
    return stats.isFile() || (stats.isSymbolicLink() && !(await stat(file)).isDirectory());
  } catch (error) {
    return !(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'));
  }
}
