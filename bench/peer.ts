import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atEnd } from './at-end.ts';

/**
 * Installs packages, each of a version, into a temporary directory: those with which the service is compared are no
 * dependencies of it. Neither their scripts run nor are their peer dependencies installed, which are for other providers.
 * Throws with what npm says when they cannot be had.
 */
export async function installed(packages: readonly string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  atEnd(() => rm(directory, { recursive: true, force: true }));
  const flags = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel', 'error'];
  const npm = promisify(execFile)('npm', ['install', '--prefix', directory, ...flags, ...packages], { cwd: directory });
  await npm.catch((error: Error & { stderr?: string }) => {
    throw new Error(`npm cannot install ${packages.join(', ')}: ${error.stderr ?? error.message}`);
  });
  return directory;
}
