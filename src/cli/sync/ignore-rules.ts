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

/** One .gitignore file: where it holds, as a path below the folder of the walk, and what it says. */
interface Level {
  path: string;
  rules: Ignore;
}

/** Git takes the case of names as it is. */
const gitRules = (text: string | readonly string[]): Ignore => ignore({ ignorecase: false }).add(text);

/**
 * What is left out of a folder: `.git` and `node_modules`, hidden names, the patterns of the command line, and what the
 * .gitignore files ignore, those of the folders above up to the root of the repository included. The deepest file that
 * says something about a path decides.
 */
export class IgnoreRules {
  readonly #options: IgnoreOptions;
  readonly #excluded: Ignore;
  readonly #levels: Level[] = [];
  /** Of the files above the folder, with the path of the folder below each. */
  #above: Level[] = [];

  constructor(options: IgnoreOptions) {
    this.#options = options;
    this.#excluded = gitRules(options.exclude);
  }

  /** Reads the .gitignore of a folder, "" for the first. Rejects when it is there and cannot be read. */
  async enter(path: string): Promise<void> {
    const { folder } = this.#options;
    if (path === '') this.#above = await levelsAbove(folder);
    while (this.#levels.length > 0 && !isWithin(path, this.#levels.at(-1)?.path ?? '')) this.#levels.pop();
    const rules = await rulesIn(join(folder, path));
    if (rules !== undefined) this.#levels.push({ path, rules });
  }

  leavesOut(path: string, isFolder: boolean): boolean {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (name === '.git' || name === 'node_modules') return true;
    if (!this.#options.hidden && isHidden(path)) return true;
    const shown = isFolder ? `${path}/` : path;
    if (this.#excluded.ignores(shown)) return true;
    const within = this.#levels.filter((level) => isWithin(path, level.path));
    const below = within.map((level) => ({ rules: level.rules, seen: seenFrom(level.path, shown) }));
    const above = this.#above.map((level) => ({ rules: level.rules, seen: `${level.path}/${shown}` }));
    for (const { rules, seen } of [...above, ...below].reverse()) {
      const { ignored, unignored } = rules.test(seen);
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}

function isWithin(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

function seenFrom(folder: string, path: string): string {
  return folder === '' ? path : path.slice(folder.length + 1);
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
async function levelsAbove(folder: string): Promise<Level[]> {
  const levels: Level[] = [];
  for (let at = folder; ; at = dirname(at)) {
    if (at !== folder) {
      const rules = await rulesIn(at);
      if (rules !== undefined) levels.unshift({ path: relative(at, folder).split(sep).join('/'), rules });
    }
    if (await exists(join(at, '.git'))) break;
    if (dirname(at) === at) return [];
  }
  const isIgnored = levels.some(({ path, rules }) => rules.ignores(`${path}/`));
  return isIgnored ? [] : levels;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
