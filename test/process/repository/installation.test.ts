import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

let project = '';
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'svc-copied-'));
  for (const part of ['bin', 'dist/cli', 'dist/chunks']) {
    await cp(join(REPOSITORY, part), join(project, part), { recursive: true });
  }
});
afterEach(() => rm(project, { recursive: true }));

test('a program that was copied into another project says so, and takes nothing from there', async () => {
  await writeFile(join(project, 'package.json'), '{"name":"other","version":"9.9.9","type":"module"}');
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(project, 'bin/svc.js'), '--version'], {
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 78, stdout: '' });
  expect(stderr).toMatch(
    /^The installation of svc is broken: .*\nInstall svc again, or run it from a whole copy of its package\.\n$/,
  );
  expect(stderr).toContain(`${project}/package.json is not the manifest of that package`);
});
