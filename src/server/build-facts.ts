// Writes what is known of this build into dist/build-facts.json, where src/server/version.ts reads it. Outside a clone
// there are no facts from git; a clone that merely contains this directory is another project's.
import { execFileSync } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = realpathSync(fileURLToPath(new URL('../..', import.meta.url)));

/** The output of a git command, undefined when it fails. */
function git(...args: string[]): string | undefined {
  try {
    // Without optional locks, so that a build does not block a commit.
    return execFileSync('git', ['--no-optional-locks', ...args], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

function gitFacts() {
  const top = git('rev-parse', '--show-toplevel');
  if (top === undefined || realpathSync(top) !== root) return {};
  return {
    gitCommit: git('rev-parse', '--short', 'HEAD'),
    gitDescribe: git('describe', '--always', '--dirty', '--tags'),
    dirty: git('status', '--porcelain', '--untracked-files=no') !== '',
  };
}

// The convention of reproducible builds.
const epoch = process.env.SOURCE_DATE_EPOCH;
const builtAt = epoch === undefined ? new Date() : new Date(Number(epoch) * 1000);
const facts = { dirty: false, ...gitFacts(), buildTime: builtAt.toISOString().replace(/\.\d+Z$/, 'Z') };
writeFileSync(new URL('../../dist/build-facts.json', import.meta.url), `${JSON.stringify(facts)}\n`);
