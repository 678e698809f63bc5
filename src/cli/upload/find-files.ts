import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { CommandError, inputError } from '../kit/errors.ts';
import { notAFile } from '../kit/input/read-file.ts';
import type { Outcome } from './events.ts';
import { CANNOT_READ, type PassedOver, type WalkedFile, walk } from './walk.ts';

/** A file to upload. */
export interface FoundFile {
  /** Where to read it: as bytes when its name is no UTF-8. */
  file: string | Buffer;
  /** With `/`: below the working folder as seen from there, else as seen from the parent of what was named. */
  path: string;
  /** Its size when it was found. */
  bytes: number;
}

export interface FoundFiles {
  files: FoundFile[];
  /** What cannot be taken, as it is told. */
  passedOver: Outcome[];
}

interface FindOptions {
  cwd: string;
  signal: AbortSignal;
  /** Told how many there are so far. */
  onFound?: (count: number) => void;
}

const NO_SUCH = 'No such file or folder';
const NO_MATCH = 'No file matches this pattern';
const FROM_HERE = 'Relative paths start at the working folder; patterns do not match hidden files';

/**
 * The files behind the paths of a command line, in their order and sorted within folders, each once. Folders are walked to
 * the bottom without names that start with a dot and without `node_modules`; a path that is named itself is always taken.
 * A path that does not exist and has wildcards is a pattern. What cannot be read does not stop the others; that nothing
 * else was named is an error (exit 66).
 */
export async function findFiles(paths: readonly string[], options: FindOptions): Promise<FoundFiles> {
  const files = new Map<string, FoundFile>();
  const passedOver: Outcome[] = [];
  for (const path of paths) {
    const { cwd, onFound = () => {} } = options;
    const named = new NamedPath(path, cwd);
    try {
      const found = await expand(named, { ...options, onFound: (more) => onFound(files.size + more) });
      for (const file of found.files) files.set(fileKey(file), file);
      passedOver.push(...found.passedOver);
    } catch (error) {
      options.signal.throwIfAborted();
      if (paths.length === 1) throw withPathNamed(error, path);
      passedOver.push({ kind: 'failed', path, bytes: 0, error });
    }
  }
  return { files: [...files.values()], passedOver };
}

/** The failure of the only path: it is not listed beside its path, and so names it. */
function withPathNamed(error: unknown, path: string): unknown {
  if (!(error instanceof CommandError)) return error;
  const { message, details, cause } = error;
  if (message === CANNOT_READ) return inputError(`Cannot read ${path}`, cause, details);
  return inputError(`${message}: ${path}`, cause, FROM_HERE);
}

function fileKey({ file }: FoundFile): string {
  return typeof file === 'string' ? file : file.toString('latin1');
}

/** A path of the command line. */
class NamedPath {
  readonly path: string;
  readonly cwd: string;
  readonly absolute: string;

  constructor(path: string, cwd: string) {
    this.path = path;
    this.cwd = cwd;
    this.absolute = resolve(cwd, path);
  }

  /** How a file is called that is this path or below it, or below the base of the pattern that it is. */
  shown(file: string): string {
    const fromCwd = relative(this.cwd, file);
    const isBelow = fromCwd !== '' && !fromCwd.startsWith('..') && resolve(this.cwd, fromCwd) === file;
    const shown = isBelow ? fromCwd : relative(dirname(this.absolute), file);
    return (shown.startsWith('..') ? basename(file) : shown).split(sep).join('/');
  }
}

async function expand(named: NamedPath, options: Required<FindOptions>): Promise<FoundFiles> {
  const { path, absolute, cwd } = named;
  const stats = await statOf(absolute);
  if (stats?.isDirectory()) return below(named, absolute, options, () => true);
  if (stats?.isFile())
    return { files: [{ file: absolute, path: named.shown(absolute), bytes: stats.size }], passedOver: [] };
  if (stats !== undefined) throw inputError(CANNOT_READ, undefined, notAFile(stats));
  if (!isGlob(path)) throw inputError(NO_SUCH);
  const pattern = globPattern(absolute.split(sep).join('/'));
  const base = resolve(cwd, globBase(path));
  const isFolder = (await statOf(base))?.isDirectory() ?? false;
  const found = isFolder
    ? await below(named, base, options, (file) => pattern.test(file.split(sep).join('/')))
    : undefined;
  if (found !== undefined && found.files.length + found.passedOver.length > 0) return found;
  throw inputError(NO_MATCH);
}

async function below(
  named: NamedPath,
  folder: string,
  { signal, onFound }: Required<FindOptions>,
  matches: (file: string) => boolean,
): Promise<FoundFiles> {
  const walked = await walk(folder, { signal, onFound, leavesOut: isHidden });
  const at = ({ path }: { path: string }): string => join(folder, path);
  const shown = (one: { path: string }): string => named.shown(at(one)) || named.path;
  const found = ({ file, path, bytes }: WalkedFile): FoundFile => ({ file, path: shown({ path }), bytes });
  return {
    files: walked.files.filter((file) => matches(at(file))).map(found),
    passedOver: walked.passedOver
      // What a pattern matches below a folder that cannot be read is unknown.
      .filter((one) => (one.kind === 'unreadable' && one.isFolder) || matches(at(one)))
      .map((one) => outcomeOf(one, shown(one))),
  };
}

/** What an upload leaves out unless it is named itself. */
export function isHidden(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.startsWith('.') || name === 'node_modules';
}

/** How it is told what a walk has passed over. */
export function outcomeOf(one: PassedOver, path: string): Outcome {
  return one.kind === 'unreadable'
    ? { kind: 'failed', path, bytes: 0, error: one.error }
    : { kind: 'skipped', path, bytes: 0, reason: one.reason };
}

/** Undefined for a path at which nothing is. */
async function statOf(absolute: string): Promise<Stats | undefined> {
  try {
    return await stat(absolute);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw inputError(CANNOT_READ, error);
  }
}

/** Whether a path that does not exist may be meant as a pattern. */
function isGlob(path: string): boolean {
  return /[*?[{]/.test(path);
}

/** The folder in front of the first wildcard, from which a pattern is walked: `docs/**` → `docs`. */
export function globBase(pattern: string): string {
  const fixed: string[] = [];
  for (const part of pattern.split('/').slice(0, -1)) {
    if (isGlob(part)) break;
    fixed.push(part);
  }
  const base = fixed.join('/');
  return base === '' ? (pattern.startsWith('/') ? '/' : '.') : base;
}

/**
 * A pattern as a regular expression over whole paths: `*` and `?` stay within a folder, `**` crosses folders, `[a-c]` and
 * `[!a]` are sets, `{a,b}` are alternatives.
 */
export function globPattern(pattern: string): RegExp {
  let source = '';
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (pattern.startsWith('**/', at)) {
      source += '(?:[^/]+/)*';
      at += 2;
    } else if (pattern.startsWith('**', at)) {
      source += '.*';
      at += 1;
    } else if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else if (character === '[') {
      const end = pattern.indexOf(']', at + 2);
      if (end === -1) source += '\\[';
      else {
        source += setOf(pattern.slice(at + 1, end));
        at = end;
      }
    } else if (character === '{') {
      depth += 1;
      source += '(?:';
    } else if (character === '}' && depth > 0) {
      depth -= 1;
      source += ')';
    } else source += character === ',' && depth > 0 ? '|' : character.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  }
  return new RegExp(`^${source}${')'.repeat(depth)}$`, 'u');
}

function setOf(inner: string): string {
  const negated = inner.startsWith('!') || inner.startsWith('^');
  const members = (negated ? inner.slice(1) : inner).replace(/[\\\]^[]/g, '\\$&');
  return negated ? `[^/${members}]` : `[${members}]`;
}
