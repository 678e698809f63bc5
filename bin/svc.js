#!/usr/bin/env node
// A plain shim: it must parse on any Node, so that an old one prints a sentence and not a stack trace.
import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`svc needs Node.js 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exit(78);
}
// Since Node 22.1 compiled code can be cached between starts. The directory must be the user's own, as any user who can
// write to it could make this program run other code.
const cache = typeof module.enableCompileCache === 'function' ? cacheHome() : undefined;
if (cache !== undefined) module.enableCompileCache(join(cache, 'svc', 'compiled'));
import('../dist/cli/main.js').then(
  ({ main }) => main(process.argv),
  (error) => {
    if (error?.code === 'ERR_MODULE_NOT_FOUND' && String(error.message).includes('dist/cli/main.js')) {
      process.stderr.write('svc is not built yet. Run: npm run build\n');
      process.exit(78);
    }
    if (error?.code === 'SVC_BROKEN_INSTALLATION') {
      process.stderr.write(`${error.message}\n`);
      process.exit(78);
    }
    throw error;
  },
);

/**
 * Undefined for a user without a home directory, such as a numeric user in a container. A relative path would depend on
 * the working directory.
 */
function cacheHome() {
  const { XDG_CACHE_HOME: given = '' } = process.env;
  if (isAbsolute(given)) return given;
  try {
    return isAbsolute(homedir()) ? join(homedir(), '.cache') : undefined;
  } catch {
    return undefined;
  }
}
