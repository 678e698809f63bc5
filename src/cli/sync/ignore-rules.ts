import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { isHidden } from '../upload/find-files.ts';

export interface IgnoreOptions {
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
export class IgnoreRules {
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
