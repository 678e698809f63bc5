import type { Dirent, Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { type CommandError, inputError } from '../kit/errors.ts';
import { notAFile } from '../kit/input/read-file.ts';

/** A file as it was found. */
export interface WalkedFile {
  /** Where to read it: as bytes when its name is no UTF-8. */
  file: string | Buffer;
  /** Below the folder of the walk, with `/`; bytes that are no UTF-8 are written `\xe9`. */
  path: string;
  bytes: number;
}

/** What a walk came across and could not take. */
export type PassedOver = { path: string } & (
  | { kind: 'unreadable'; isFolder: boolean; error: CommandError }
  /** `left out`: a link to what the walk itself does not take. */
  | { kind: 'no file' | 'left out'; reason: string }
);

interface WalkOptions {
  signal: AbortSignal;
  /** Told now and then how many files there are so far. */
  onFound: (count: number) => void;
  /** Decides by the name, and by the path below the folder of the walk, what is left out without a message. */
  leavesOut: (path: string, isFolder: boolean) => boolean | Promise<boolean>;
  /** Called with the path of each folder, "" for the first, before its entries are looked at; of some more than once. */
  onFolder?: (path: string) => Promise<void>;
}

interface Walked {
  files: WalkedFile[];
  passedOver: PassedOver[];
}

/** Files whose sizes are looked up at once. */
const STATS_AT_ONCE = 64;
/** Without the path, which the caller puts in front. */
export const CANNOT_READ = 'Cannot read it';

interface FolderEntry {
  file: string | Buffer;
  path: string;
  dirent: Dirent<string> | Dirent<Buffer>;
}

/** A walk: what it has come across, and the folder of it free of links. */
interface Way extends Walked {
  options: WalkOptions;
  root: string;
}

/**
 * The files below a folder, to the bottom, sorted within each folder. Links are followed only to files that the walk takes
 * itself: one to a folder above would never end, and what lies elsewhere or is left out was not asked for. What cannot be
 * read is passed over, and told.
 */
export async function walk(folder: string, options: WalkOptions): Promise<Walked> {
  const root = await realpath(folder).catch(() => folder);
  const way: Way = { files: [], passedOver: [], options, root };
  await walkFolder({ file: folder, path: '' }, way);
  return { files: way.files, passedOver: way.passedOver };
}

async function walkFolder({ file, path }: Pick<FolderEntry, 'file' | 'path'>, way: Way): Promise<void> {
  const { options } = way;
  options.signal.throwIfAborted();
  let entries: FolderEntry[];
  try {
    await options.onFolder?.(path);
    entries = await entriesOf(file, path);
  } catch (cause) {
    const error = inputError(CANNOT_READ, cause);
    way.passedOver.push({ kind: 'unreadable', path, isFolder: true, error });
    return;
  }
  let wanted: FolderEntry[] = [];
  const take = async (): Promise<void> => {
    await takeFiles(wanted, way);
    wanted = [];
    options.onFound(way.files.length);
  };
  for (const entry of entries) {
    const isFolder = entry.dirent.isDirectory();
    if (await options.leavesOut(entry.path, isFolder)) continue;
    if (!isFolder) wanted.push(entry);
    if (isFolder || wanted.length === STATS_AT_ONCE) await take();
    if (isFolder) await walkFolder(entry, way);
  }
  await take();
}

async function takeFiles(entries: readonly FolderEntry[], way: Way): Promise<void> {
  const { files, passedOver } = way;
  const looked = await Promise.all(entries.map(async (entry) => ({ entry, stats: await statsOf(entry) })));
  for (const { entry, stats } of looked) {
    const { file, path, dirent } = entry;
    const reason =
      dirent.isSymbolicLink() && 'isFile' in stats && stats.isFile() ? await notTaken(file, way) : undefined;
    if (reason !== undefined) passedOver.push({ kind: 'left out', path, reason });
    else if (!('isFile' in stats)) passedOver.push({ kind: 'unreadable', path, isFolder: false, error: stats });
    else if (stats.isFile()) files.push({ file, path, bytes: stats.size });
    // A link to a folder is left out without a message, as in any walk that does not follow links.
    else if (!(dirent.isSymbolicLink() && stats.isDirectory()))
      passedOver.push({ kind: 'no file', path, reason: notAFile(stats) ?? '' });
  }
}

/** Why the file behind a link is not taken. */
async function notTaken(link: string | Buffer, { root, options }: Way): Promise<string | undefined> {
  const path = relative(root, await realpath(link))
    .split(sep)
    .join('/');
  if (path === '..' || path.startsWith('../') || isAbsolute(path))
    return 'it is a link to a file outside of the folder';
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const isFolder = depth < parts.length;
    const at = parts.slice(0, depth).join('/');
    if (await options.leavesOut(at, isFolder)) return 'it is a link to a file that is left out';
    if (isFolder) await options.onFolder?.(at);
  }
  return undefined;
}

async function statsOf({ file, dirent }: FolderEntry): Promise<Stats | CommandError> {
  try {
    return await stat(file);
  } catch (error) {
    const isDangling = dirent.isSymbolicLink() && error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isDangling
      ? inputError(CANNOT_READ, undefined, 'it is a link to a file that does not exist')
      : inputError(CANNOT_READ, error);
  }
}

/** Names that are no UTF-8 come as replacement characters, which find nothing: such a folder is read again as bytes. */
async function entriesOf(folder: string | Buffer, path: string): Promise<FolderEntry[]> {
  const below = (name: string): string => (path === '' ? name : `${path}/${name}`);
  if (typeof folder === 'string') {
    const dirents = await readdir(folder, { withFileTypes: true });
    if (!dirents.some(({ name }) => name.includes('\ufffd'))) {
      const from = folder.endsWith(sep) ? folder : `${folder}${sep}`;
      const entries = dirents.map((dirent) => ({ file: `${from}${dirent.name}`, path: below(dirent.name), dirent }));
      return sorted(entries);
    }
  }
  const start = Buffer.concat([Buffer.from(folder), Buffer.from(sep)]);
  const dirents = await readdir(start, { withFileTypes: true, encoding: 'buffer' });
  return sorted(
    dirents.map((dirent) => ({ file: Buffer.concat([start, dirent.name]), path: below(nameOf(dirent.name)), dirent })),
  );
}

function sorted(entries: FolderEntry[]): FolderEntry[] {
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The bytes as text. Two names that differ must not become one: what is no UTF-8 is written as in a shell. */
function nameOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (Buffer.from(text).equals(bytes)) return text;
  let name = '';
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((count) => isCharacter(bytes.subarray(at, at + count)));
    const piece = bytes.subarray(at, at + (length ?? 1));
    name += length === undefined ? `\\x${piece.toString('hex')}` : piece.toString('utf8');
    at += piece.length;
  }
  return name;
}

function isCharacter(bytes: Buffer): boolean {
  const text = bytes.toString('utf8');
  return [...text].length === 1 && Buffer.from(text).equals(bytes);
}
