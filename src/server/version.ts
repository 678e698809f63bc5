import { readFileSync } from 'node:fs';
import { isObject } from '../shared/json/parse.ts';
import { PACKAGE_ROOT, packageVersion } from '../shared/package-root.ts';

/** What is known of the build that runs. */
export interface BuildInfo {
  /** e.g. `1.4.0`. */
  version: string;
  /** Built from a tree with uncommitted changes. */
  dirty: boolean;
  gitCommit?: string | undefined;
  gitDescribe?: string | undefined;
  /** ISO 8601. */
  buildTime?: string | undefined;
}

/** The package's version, e.g. `1.4.0`. */
export const VERSION: string = packageVersion();

/** Without the facts that a build writes down where there was none yet. */
export const BUILD: BuildInfo = { version: VERSION, ...buildFacts(readFacts()) };

function readFacts(): string {
  try {
    return readFileSync(new URL('dist/build-facts.json', PACKAGE_ROOT), 'utf8');
  } catch {
    return '{}';
  }
}

/** The members of the build's facts that are what they should be. */
export function buildFacts(text: string): Omit<BuildInfo, 'version'> {
  const facts: unknown = JSON.parse(text);
  if (!isObject(facts)) return { dirty: false };
  const { dirty, gitCommit, gitDescribe, buildTime } = facts;
  return {
    dirty: dirty === true,
    ...(typeof gitCommit === 'string' ? { gitCommit } : {}),
    ...(typeof gitDescribe === 'string' ? { gitDescribe } : {}),
    ...(typeof buildTime === 'string' ? { buildTime } : {}),
  };
}
