#!/usr/bin/env node
// A plain shim: it must parse on any Node, so that an old one prints a sentence and not a stack trace.
const { existsSync, readFileSync } = require('node:fs');
const nodeModule = require('node:module');
const { homedir } = require('node:os');
const { dirname, isAbsolute, join, relative, sep } = require('node:path');
const vm = require('node:vm');

const root = dirname(__dirname);

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

exports.checksumOf = checksumOf;
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
 * Runs a file of the program, as compiled by `src/compile.js` where this is the same Node.js: V8 refuses what was made with other
 * flags and compiles the source. What it takes keeps the name of then in stack traces, so that is the path in the package, which
 * is the same where it is built and where it is installed. Files of other packages are run by Node.js.
 */
function load(module, filename) {
  if (!filename.startsWith(join(root, 'dist') + sep)) {
    require.extensions['.js'](module, filename);
    return;
  }
  const source = readFileSync(filename);
  const script = new vm.Script(nodeModule.wrap(source.toString()), {
    filename: relative(root, filename),
    cachedData: compiledOf(source, `${filename}.v8`),
  });
  script.runInThisContext()(module.exports, nodeModule.createRequire(filename), module, filename, dirname(filename));
}

/**
 * Undefined where there is none, or one of another source or another Node.js, or damaged. V8 looks at its version and at lengths
 * alone, and crashes or errs by the rest: compiled code refers to objects of the very binary that has made it.
 */
function compiledOf(source, file) {
  if (!existsSync(file)) return undefined;
  const kept = readFileSync(file);
  const compiled = kept.subarray(0, -4);
  return kept.length > 4 && kept.readUInt32LE(compiled.length) === checksumOf(source, compiled) ? compiled : undefined;
}

/** Of a source, of what this Node.js has compiled of it, at whose end it is kept in four bytes, and of this Node.js. */
function checksumOf(source, compiled) {
  const { crc32 } = require('node:zlib');
  const { arch, config, platform, versions } = process;
  return crc32(compiled, crc32(source, crc32(JSON.stringify([arch, config, platform, versions]))));
}
