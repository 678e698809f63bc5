import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
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

/** Says on stderr which files of the program V8 took as the build has compiled them. */
const HOOK = `
  const vm = require('node:vm');
  vm.Script = class extends vm.Script {
    constructor(code, options) {
      super(code, options);
      process.stderr.write((this.cachedDataRejected === false ? 'taken ' : 'refused ') + options.filename + '\\n');
    }
  };`;

test('a Node.js without such a cache begins with what the build has compiled, and does without where that is of no use', async () => {
  const hook = join(dir, 'hook.cjs');
  await writeFile(hook, HOOK);
  const root = join(dir, 'copy');
  for (const part of ['bin', 'dist/cli', 'dist/chunks', 'package.json']) {
    await cp(join(dirname(BINARY), '..', part), join(root, part), { recursive: true });
  }
  const help = async () => {
    const args = ['--require', hook, join(root, 'bin/svc.js'), '--help'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env: { PATH: process.env.PATH } });
    return { stdout, scripts: stderr.split('\n').filter((line) => line !== '') };
  };
  const first = await help();
  const files = first.scripts.map((line) => line.replace('taken ', ''));
  if ('enableCompileCache' in module) expect(first.scripts).toEqual([]);
  else expect(files).toContain(join(root, 'dist/cli/main.cjs'));

  for (const file of files) await writeFile(`${file}.v8`, 'of another V8');
  const second = await help();
  expect(second.scripts).toEqual(files.map((file) => `refused ${file}`));
  expect(second.stdout).toBe(first.stdout);
});
