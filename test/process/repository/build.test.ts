import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
/** What the build itself consists of. */
const REAL = [
  'src/build.js',
  'src/server/build-facts.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];
/** The rest is as little as can be built. */
const SMALL = {
  'src/one.ts': 'export const one: number = 1;\n',
  'src/console/build.js': '',
  'src/server/store/migrations/0001_initial.sql': 'select 1;\n',
};

let project = '';
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'svc-build-'));
  for (const name of REAL) await cp(join(REPOSITORY, name), join(project, name));
  for (const [name, text] of Object.entries(SMALL)) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), text);
  }
  await symlink(join(REPOSITORY, 'node_modules'), join(project, 'node_modules'));
});
afterAll(() => rm(project, { recursive: true, force: true }));

function build(...flags: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(project, 'src/build.js'), ...flags], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const built = (path: string) => readFile(join(project, 'dist', path), 'utf8');
const SAYS_SO = /^Building dist from the sources/;

test('a changed source is rebuilt after a message, and a failed build is repeated', async () => {
  expect(build('--if-changed')).toMatchObject({ status: 0, stderr: expect.stringMatching(SAYS_SO) });
  expect(await built('one.js')).toContain('one = 1');
  expect(await built('server/store/migrations/0001_initial.sql')).toBe('select 1;\n');
  expect(build('--if-changed')).toEqual({ status: 0, stdout: '', stderr: '' });

  await writeFile(join(project, 'src/one.ts'), 'export const one: number = "two";\n');
  for (const _ of [1, 2]) {
    const failed = build('--if-changed');
    expect(failed.status).not.toBe(0);
    expect(failed.stderr).toMatch(SAYS_SO);
    expect(failed.stdout).toContain('src/one.ts');
  }
  await writeFile(join(project, 'src/one.ts'), 'export const one: number = 2;\n');
  expect(build()).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(await built('one.js')).toContain('one = 2');
  expect(build('--if-changed').stderr).toBe('');
});
