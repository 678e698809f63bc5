const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/** Why a file that a setting names cannot be read: a phrase without a full stop. */
export function unreadable(file: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return `cannot read ${file}: ${REASONS[code] ?? (error instanceof Error ? error.message : String(error))}`;
}

/** One thing that keeps the server from starting. Never holds the value of a secret. */
export interface ConfigurationProblem {
  /** The flag concerned with its dashes, e.g. `--rest-port`. */
  flag: string;
  /** Its environment variable; undefined when it has none. */
  variable?: string;
  /** Where the offending value came from, in words: `flag --rest-port`, `environment variable DB_URL`, `default`, `not set`. */
  source: string;
  /** What is wrong, without a final full stop. */
  problem: string;
  /** What to do about it, without a final full stop. */
  remedy: string;
}

/**
 * The server refuses to start (exit 78). It has all problems found, so that an administrator can correct them all
 * before the next start. It is no `ServiceError`, as clients never receive it.
 */
export class SettingsError extends Error {
  readonly problems: readonly ConfigurationProblem[];

  constructor(problems: readonly ConfigurationProblem[], options?: { cause?: unknown }) {
    super(describe(problems), options);
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

function describe(problems: readonly ConfigurationProblem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return [`The configuration has ${count}:`, ...problems.map(describeOne)].join('\n');
}

function describeOne({ flag, variable, source, problem, remedy }: ConfigurationProblem): string {
  const name = variable === undefined ? flag : `${flag} / ${variable}`;
  return `  ${name} (${source}): ${problem}; ${remedy}`;
}
