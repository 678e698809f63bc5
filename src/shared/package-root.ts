import { existsSync } from 'node:fs';

/**
 * The directory of this package, as a URL with a slash at its end. Files are named from here: the build puts the code of a
 * module wherever it is loaded from most quickly, so that no module knows what lies beside it.
 */
export const PACKAGE_ROOT: URL = nearestPackage(new URL('.', import.meta.url));

function nearestPackage(directory: URL): URL {
  return existsSync(new URL('package.json', directory)) ? directory : nearestPackage(new URL('..', directory));
}
