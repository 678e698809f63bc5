import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { built } from '../../support/built.ts';

const BINARY = fileURLToPath(new URL('../../../bin/svc.js', import.meta.url));

let dir = '';
beforeAll(async () => {
  built('cli/main.js');
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
