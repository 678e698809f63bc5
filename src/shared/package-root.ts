import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const NAME = 'svc-memory';

/** The files of the program are not where they belong. `bin/svc.js` knows it by its code and prints the message alone. */
class BrokenInstallation extends Error {
  readonly code = 'SVC_BROKEN_INSTALLATION';

  constructor(from: URL, reason: string) {
    super(`The installation of svc is broken: ${fileURLToPath(from)} must lie in the package ${NAME}, but ${reason}.
Install svc again, or run it from a whole copy of its package.`);
  }
}

/**
 * The directory of this package, as a URL with a slash at its end. Files are named from here: the build puts the code of a
 * module wherever it is loaded from most quickly, so that no module knows what lies beside it.
 */
export const PACKAGE_ROOT: URL = packageRoot(new URL(import.meta.url));

/**
 * The directory of this package that holds a file. Throws where the nearest package is another one: code that lies there
 * must not be taken for ours.
 */
export function packageRoot(file: URL): URL {
  let directory = new URL('.', file);
  let manifest = new URL('package.json', directory);
  while (!existsSync(manifest)) {
    const parent = new URL('..', directory);
    if (parent.href === directory.href) throw new BrokenInstallation(file, 'no directory above it has a package.json');
    directory = parent;
    manifest = new URL('package.json', directory);
  }
  if (!names(manifest))
    throw new BrokenInstallation(file, `${fileURLToPath(manifest)} is not the manifest of that package`);
  return directory;
}

function names(manifest: URL): boolean {
  try {
    return JSON.parse(readFileSync(manifest, 'utf8')).name === NAME;
  } catch {
    return false;
  }
}

/** The version of this package, e.g. `1.4.0`. */
export function packageVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8'));
  return manifest.version;
}
