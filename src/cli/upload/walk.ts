import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { type CommandError, inputError } from '../failure.ts';
import { notAFile } from '../input/read-file.ts';

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
  | { kind: 'no file'; reason: string }
);

export interface WalkOptions {
  signal: AbortSignal;
  /** Told now and then how many files there are so far. */
  onFound: (count: number) => void;
  /** Decides by the name, and by the path below the folder of the walk, what is left out in silence. */
  leavesOut: (path: string, isFolder: boolean) => boolean | Promise<boolean>;
  /** Called with the path of each folder, "" for the first, before its entries are looked at. */
  onFolder?: (path: string) => Promise<void>;
}

export interface Walked {
  files: WalkedFile[];
  passedOver: PassedOver[];
}

/** Files whose sizes are looked up at once. */
const STATS_AT_ONCE = 64;
/** Behind the path, which whoever tells it puts in front. */
export const CANNOT_READ = 'Cannot read it';

interface Entry {
  file: string | Buffer;
  path: string;
  dirent: Dirent<string> | Dirent<Buffer>;
}

/**
 * The files below a folder, to the bottom, sorted within each folder. Links are followed to files only: one to a folder
 * above would never end. What cannot be read is passed over, and told.
 */
export async function walk(folder: string, options: WalkOptions): Promise<Walked> {
  const walked: Walked = { files: [], passedOver: [] };
  await walkFolder({ file: folder, path: '' }, walked, options);
  return walked;
}

async function walkFolder(
  { file, path }: Pick<Entry, 'file' | 'path'>,
  walked: Walked,
  options: WalkOptions,
): Promise<void> {
  options.signal.throwIfAborted();
  let entries: Entry[];
  try {
    await options.onFolder?.(path);
    entries = await entriesOf(file, path);
  } catch (cause) {
    const error = inputError(CANNOT_READ, cause);
    walked.passedOver.push({ kind: 'unreadable', path, isFolder: true, error });
    return;
  }
  let wanted: Entry[] = [];
  const take = async (): Promise<void> => {
    await takeFiles(wanted, walked);
    wanted = [];
    options.onFound(walked.files.length);
  };
  for (const entry of entries) {
    const isFolder = entry.dirent.isDirectory();
    if (await options.leavesOut(entry.path, isFolder)) continue;
    if (!isFolder) wanted.push(entry);
    if (isFolder || wanted.length === STATS_AT_ONCE) await take();
    if (isFolder) await walkFolder(entry, walked, options);
  }
  await take();
}

async function takeFiles(entries: readonly Entry[], { files, passedOver }: Walked): Promise<void> {
  const looked = await Promise.all(entries.map(async (entry) => ({ entry, stats: await statsOf(entry) })));
  for (const { entry, stats } of looked) {
    const { file, path, dirent } = entry;
    if (!('isFile' in stats)) passedOver.push({ kind: 'unreadable', path, isFolder: false, error: stats });
    else if (stats.isFile()) files.push({ file, path, bytes: stats.size });
    // A link to a folder is left out in silence, as in any walk that does not follow links.
    else if (!(dirent.isSymbolicLink() && stats.isDirectory()))
      passedOver.push({ kind: 'no file', path, reason: notAFile(stats) ?? '' });
  }
}

async function statsOf({ file, dirent }: Entry): Promise<Stats | CommandError> {
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
async function entriesOf(folder: string | Buffer, path: string): Promise<Entry[]> {
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

function sorted(entries: Entry[]): Entry[] {
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
