import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Ignore } from 'ignore';
import ignore from 'ignore';
import { inputError, usageError } from '../kit/errors.ts';
import { type FoundFiles, isHidden, outcomeOf } from '../upload/find-files.ts';
import { walk } from '../upload/walk.ts';

/** The files of a folder, under paths that begin with the name that the space has for it. */
interface FoundFolder extends FoundFiles {
  /** Whether a path is that of a file, or may be: what cannot be read is not gone. */
  isThere(path: string): boolean;
  /** Whether there is a file by now at a path that was gone, and that is not left out. */
  isBack(path: string): Promise<boolean>;
}

interface FindFolderOptions extends IgnoreOptions {
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

interface IgnoreOptions {
  /** Absolute. */
  folder: string;
  /** Patterns of the command line, as in a .gitignore of the folder. */
  exclude: readonly string[];
  /** Names that begin with a dot are taken too. */
  hidden: boolean;
}

/** Git takes the case of names as it is. */
const gitRules = (text: string | readonly string[]): Ignore => ignore({ ignorecase: false }).add(text);

/** A .gitignore file, and the path of something as it is seen from there; of a folder with a `/` behind. */
interface Ruling {
  rules: Ignore;
  seen: string;
}

/** The .gitignore of a folder above that of the walk, and the path of the latter as it is seen from there. */
interface LevelAbove {
  rules: Ignore;
  path: string;
}

/**
 * What is left out of a folder: `.git` and `node_modules`, hidden names, the patterns of the command line, and what the
 * .gitignore files ignore, those of the folders above up to the root of the repository included. The deepest file that
 * says something about a path decides.
 */
class IgnoreRules {
  readonly #options: IgnoreOptions;
  readonly #excluded: Ignore;
  /** By the folder, "" for the first; undefined for one without such a file. */
  readonly #levels = new Map<string, Ignore | undefined>();
  /** Of the files above the folder, outermost first. */
  #above: readonly LevelAbove[] = [];

  constructor(options: IgnoreOptions) {
    this.#options = options;
    this.#excluded = gitRules(options.exclude);
  }

  /** Reads the .gitignore of a folder that is not left out, once. Rejects when it is there and cannot be read. */
  async enter(path: string): Promise<void> {
    if (this.#levels.has(path)) return;
    const { folder } = this.#options;
    if (path === '') this.#above = await levelsAbove(folder);
    else letIn(this.#rulings(path, true));
    this.#levels.set(path, await rulesIn(join(folder, path)));
  }

  /** The folders above have to be entered before. */
  leavesOut(path: string, isFolder: boolean): boolean {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (name === '.git' || name === 'node_modules') return true;
    if (!this.#options.hidden && isHidden(path)) return true;
    if (this.#excluded.ignores(isFolder ? `${path}/` : path)) return true;
    return isIgnored(this.#rulings(path, isFolder));
  }

  /** The files that may say something about a path, outermost first. */
  #rulings(path: string, isFolder: boolean): Ruling[] {
    const shown = isFolder ? `${path}/` : path;
    const rulings = this.#above.map((level) => ({ rules: level.rules, seen: `${level.path}/${shown}` }));
    for (let start = 0; ; ) {
      const rules = this.#levels.get(path.slice(0, Math.max(0, start - 1)));
      if (rules !== undefined) rulings.push({ rules, seen: shown.slice(start) });
      const next = path.indexOf('/', start);
      if (next === -1) return rulings;
      start = next + 1;
    }
  }
}

function isIgnored(rulings: readonly Ruling[]): boolean {
  for (const { rules, seen } of rulings.toReversed()) {
    const { ignored, unignored } = rules.test(seen);
    if (ignored || unignored) return ignored;
  }
  return false;
}

/**
 * A file that ignores a folder ignores all below it, and so does its `Ignore`. Of a folder that a deeper file has let in
 * again it may only say what it says of each path itself.
 */
function letIn(rulings: readonly Ruling[]): void {
  for (const { rules, seen } of rulings) {
    if (rules.ignores(seen)) rules.add([`!/${seen.replace(/[\\*?[\]]/g, '\\$&')}`]);
  }
}

async function rulesIn(folder: string): Promise<Ignore | undefined> {
  try {
    return gitRules(await readFile(join(folder, '.gitignore'), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EISDIR'))
      return undefined;
    throw error;
  }
}

/** Outermost first; none outside a repository, and none when they ignore the folder itself: it was asked for by name. */
async function levelsAbove(folder: string): Promise<LevelAbove[]> {
  const found: { at: string; rules: Ignore | undefined }[] = [];
  for (let at = folder; ; at = dirname(at)) {
    if (at !== folder) found.unshift({ at, rules: await rulesIn(at) });
    if (await exists(join(at, '.git'))) break;
    if (dirname(at) === at) return [];
  }
  const levels = found.flatMap(({ at, rules }) => (rules === undefined ? [] : { at, rules }));
  const ways = [...found.slice(1).map(({ at }) => at), folder];
  for (const way of ways) {
    const above = levels.filter(({ at }) => at.length < way.length);
    const rulings = above.map(({ at, rules }) => ({ rules, seen: `${seenFrom(at, way)}/` }));
    if (isIgnored(rulings)) return [];
    letIn(rulings);
  }
  return levels.map(({ at, rules }) => ({ rules, path: seenFrom(at, folder) }));
}

function seenFrom(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
