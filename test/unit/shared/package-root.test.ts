import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PACKAGE_ROOT, packageRoot } from '../../../src/shared/package-root.ts';

let directory = '';
let file: URL;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-root-'));
  await mkdir(join(directory, 'dist/chunks'), { recursive: true });
  file = pathToFileURL(join(directory, 'dist/chunks/a.js'));
});
afterEach(() => rm(directory, { recursive: true }));

test('the root is the directory of the manifest of svc', async () => {
  await writeFile(join(directory, 'package.json'), '{"name":"svc-memory"}');
  expect(packageRoot(file).href).toBe(`${pathToFileURL(directory).href}/`);
  expect(PACKAGE_ROOT.href).toBe(new URL('../../../', import.meta.url).href);
});

test('without a manifest the search ends at the root of the file system', () => {
  expect(() => packageRoot(file)).toThrow(
    `${directory}/dist/chunks/a.js must lie in the package svc-memory, but no directory above it has a package.json.`,
  );
});

test.each([
  ['another package', '{"name":"other"}'],
  ['nothing', '{}'],
  ['null', 'null'],
  ['no JSON', 'name: svc-memory'],
])('a manifest of %s is refused, though one of svc lies above it', async (_, manifest) => {
  await writeFile(join(directory, 'package.json'), '{"name":"svc-memory"}');
  await writeFile(join(directory, 'dist/package.json'), manifest);
  expect(() => packageRoot(file)).toThrow(`but ${directory}/dist/package.json is not the manifest of that package.`);
});
