#!/usr/bin/env node
// A plain shim: it must parse on any Node, so that an old one prints a sentence and not a stack trace.
const { existsSync, readFileSync } = require('node:fs');
const nodeModule = require('node:module');
const { homedir } = require('node:os');
const { dirname, isAbsolute, join } = require('node:path');
const vm = require('node:vm');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`svc needs Node.js 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exit(78);
}
// Since Node 22.1 compiled code can be cached between starts. The directory must be the user's own, as any user who can
// write to it could make this program run other code. Node 20 takes what the build has compiled.
if (typeof nodeModule.enableCompileCache === 'function') {
  const cache = cacheHome();
  if (cache !== undefined) nodeModule.enableCompileCache(join(cache, 'svc', 'compiled'));
} else if (!process.sourceMapsEnabled) {
  require.extensions['.cjs'] = load;
}

let cli;
try {
  cli = require('../dist/cli/main.cjs');
} catch (error) {
  if (error.code === 'MODULE_NOT_FOUND' && error.message.includes('dist/cli/main.cjs')) {
    process.stderr.write('svc is not built yet. Run: npm run build\n');
    process.exit(78);
  }
  if (error.code === 'SVC_BROKEN_INSTALLATION') {
    process.stderr.write(`${error.message}\n`);
    process.exit(78);
  }
  throw error;
}
cli.main(process.argv);

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

/**
 * Runs a file of the program, as compiled by `src/compile.js` where this is the same V8, which compiles it anew otherwise. It
 * tells that by its version and flags and by the length of the source; the name of the file changes with its content.
 */
function load(module, filename) {
  const compiled = `${filename}.v8`;
  const script = new vm.Script(nodeModule.wrap(readFileSync(filename, 'utf8')), {
    filename,
    cachedData: existsSync(compiled) ? readFileSync(compiled) : undefined,
  });
  script.runInThisContext()(module.exports, nodeModule.createRequire(filename), module, filename, dirname(filename));
}
