// @ts-check
// Builds dist. With --if-changed only when something that it is made of has changed since, so that what people start is
// current and yet starts at once.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** What the build that is there was made of. Not there while one is under way, or after one that failed. */
const stamp = join(root, 'dist/built-from');

/** Changes with every file that is built, with the packages and with the commit that the build names. */
function inputs() {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) => join('src', name));
  const all = [...files, 'package.json', 'package-lock.json', 'tsconfig.json'].sort();
  const hash = createHash('sha256').update(`${process.version} ${commit()}\n`);
  for (const name of all) {
    const { size, mtimeMs } = statSync(join(root, name));
    hash.update(`${name} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function commit() {
  try {
    const options = { cwd: root, encoding: /** @type {const} */ ('utf8'), stdio: /** @type {'pipe'} */ ('pipe') };
    return execFileSync('git', ['--no-optional-locks', 'rev-parse', 'HEAD'], options).trim();
  } catch {
    return '';
  }
}

function isCurrent() {
  try {
    return readFileSync(stamp, 'utf8') === inputs();
  } catch {
    return false;
  }
}

/** Runs a program of the packages, or ends with its exit code. @param {string[]} args */
function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function build() {
  const from = inputs();
  // With the stamp goes what sources that are no more have left, which tests and imports would go on to find.
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  run('src/bundle.js');
  cpSync(join(root, 'src/server/store/migrations'), join(root, 'dist/migrations'), { recursive: true });
  // It consists of types, and so is its own declaration.
  const types = 'server/workers/post-processor/types';
  cpSync(join(root, 'src', `${types}.ts`), join(root, 'dist', `${types}.d.ts`));
  run('node_modules/tsx/dist/cli.mjs', 'src/server/build-facts.ts');
  run('src/console/build.js');
  run('src/compile.js');
  writeFileSync(stamp, from);
}

if (!process.argv.includes('--if-changed')) {
  build();
} else if (!isCurrent()) {
  process.stderr.write('Building dist from the sources; this takes some seconds …\n');
  build();
}
