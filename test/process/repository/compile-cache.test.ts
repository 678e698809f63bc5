import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { built } from '../../support/built.ts';

const BINARY = fileURLToPath(new URL('../../../bin/svc.js', import.meta.url));

let dir = '';
beforeAll(async () => {
  built('cli/main.cjs');
  dir = await mkdtemp(join(tmpdir(), 'svc-cache-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const version = (env: NodeJS.ProcessEnv) =>
  promisify(execFile)(process.execPath, [BINARY, '--version'], { cwd: dir, env: { PATH: process.env.PATH, ...env } });

test.each([{ HOME: '' }, { HOME: '', XDG_CACHE_HOME: 'cache' }, { HOME: 'home' }])(
  'compiled code is never cached relative to the working directory: %j',
  async (env) => {
    expect((await version(env)).stdout).toMatch(/^\d/);
    expect(await readdir(dir)).toEqual([]);
  },
);

test('compiled code is cached below the cache directory of the user, where this Node.js has a compile cache', async () => {
  const home = join(dir, 'home');
  await version({ HOME: home });
  await version({ HOME: join(dir, 'none'), XDG_CACHE_HOME: join(dir, 'cache') });
  const kept = [join(home, '.cache', 'svc', 'compiled'), join(dir, 'cache', 'svc', 'compiled')].map(existsSync);
  const canKeep = 'enableCompileCache' in module;
  expect(kept).toEqual([canKeep, canKeep]);
});

/** A copy of the program, without what servers need. */
async function copy(name: string): Promise<string> {
  const root = join(dir, name);
  for (const part of ['bin', 'dist/cli', 'dist/chunks', 'package.json']) {
    await cp(join(dirname(BINARY), '..', part), join(root, part), { recursive: true });
  }
  return root;
}

/** Says on stderr of the files of the program whether V8 took what the build has compiled of them, and their names in stack traces. */
const HOOK = `
  const vm = require('node:vm');
  vm.Script = class extends vm.Script {
    constructor(code, options) {
      super(code, options);
      const said = { false: 'taken', true: 'refused', undefined: 'source' }[this.cachedDataRejected];
      process.stderr.write(said + ' ' + options.filename + '\\n');
    }
  };`;

test('a Node.js without such a cache begins with what the build has compiled, and does without where that is of no use', async () => {
  const hook = join(dir, 'hook.cjs');
  await writeFile(hook, HOOK);
  const root = await copy('copy');
  const help = async (...flags: string[]) => {
    const args = [...flags, '--require', hook, join(root, 'bin/svc.js'), '--help'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env: { PATH: process.env.PATH } });
    expect(stdout).toContain('Usage: svc <command> [flags]');
    return stderr.split('\n').filter((line) => line !== '');
  };
  const first = await help();
  const taken = first.filter((line) => line.startsWith('taken')).map((line) => line.replace('taken ', ''));
  if ('enableCompileCache' in module) {
    expect(first).toEqual([]);
  } else {
    expect(first).toContain('source dist/cli/main.cjs');
    expect(taken).toContainEqual(expect.stringMatching(/^dist\/chunks\/run-/));
  }
  const without = (said: string) => first.map((line) => line.replace('taken', said));
  expect(await help('--no-opt')).toEqual(without('refused'));

  // V8 takes what another build of the same version has compiled, and errs.
  const other = join(dir, 'other.cjs');
  await writeFile(other, "Object.defineProperty(process, 'versions', { value: { ...process.versions, v8: '0' } });");
  expect(await help('--require', other)).toEqual(without('source'));

  // V8 itself looks at lengths alone, and crashes by some damage.
  for (const file of taken) {
    const kept = join(root, `${file}.v8`);
    const bytes = await readFile(kept);
    await writeFile(kept, bytes.fill(0, bytes.length / 2, bytes.length / 2 + 512));
  }
  expect(await help()).toEqual(without('source'));
  for (const file of taken) await truncate(join(root, `${file}.v8`), 3);
  expect(await help()).toEqual(without('source'));
});

test('compiled code of a source that has changed since is not run', async () => {
  const root = await copy('changed');
  const chunks = join(root, 'dist/chunks');
  const run = (await readdir(chunks)).find((name) => /^run-.*\.cjs$/.test(name)) ?? '';
  const source = await readFile(join(chunks, run), 'utf8');
  await writeFile(join(chunks, run), source.replaceAll('All commands: svc --help', 'All commands: SVC --HELP'));
  const called = promisify(execFile)(process.execPath, [join(root, 'bin/svc.js'), 'nosuch'], { env: {} });
  await expect(called).rejects.toMatchObject({ stderr: expect.stringContaining('All commands: SVC --HELP') });
});
