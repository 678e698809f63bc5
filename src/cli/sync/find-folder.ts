import { realpath, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { inputError, usageError } from '../failure.ts';
import { type Found, outcomeOf } from '../upload/find-files.ts';
import { walk } from '../upload/walk.ts';
import { type IgnoreOptions, IgnoreRules } from './ignore-rules.ts';

/** The files of a folder, under paths that begin with its name. */
export interface FoundFolder extends Found {
  /** Whether a path is that of a file, or may be: what cannot be read is not gone. */
  isThere(path: string): boolean;
}

export interface FindFolderOptions extends IgnoreOptions {
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

export async function findFolder({ signal, onFound, ...options }: FindFolderOptions): Promise<FoundFolder> {
  const rules = new IgnoreRules(options);
  const { files, passedOver } = await walk(options.folder, {
    signal,
    onFound,
    leavesOut: (path, isFolder) => rules.leavesOut(path, isFolder),
    onFolder: (path) => rules.enter(path),
  });
  const root = basename(options.folder);
  const named = (path: string): string => [root, path].filter((part) => part !== '').join('/');
  const there = new Set([...files, ...passedOver].map(({ path }) => named(path)));
  const closed = passedOver.filter((one) => one.kind === 'unreadable' && one.isFolder).map(({ path }) => named(path));
  return {
    files: files.map((file) => ({ ...file, path: named(file.path) })),
    passedOver: passedOver.map((one) => outcomeOf(one, named(one.path))),
    isThere: (path) => there.has(path) || closed.some((folder) => path.startsWith(`${folder}/`)),
  };
}
