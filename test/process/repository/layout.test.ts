import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

test('the table of docs/architecture.md lists every folder below test, and no other', () => {
  const folders = readdirSync(new URL('test', ROOT), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const rows = read('docs/architecture.md').matchAll(/^\| (`test\/[^|]*) \|/gm);
  const listed = [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`test\/(\w+)`/g)].map(([, name]) => name));
  expect(listed.sort()).toEqual(folders.map(({ name }) => name).sort());
});

test('the README lists every script that runs a part of the tests', () => {
  const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts;
  const parts = Object.keys(scripts).filter((name) => name.startsWith('test:'));
  const listed = [...read('README.md').matchAll(/`(?:npm run )?(test:\w+)`/g)].map(([, name]) => name);
  expect(listed.sort()).toEqual(parts.sort());
});

/**
 * `a/b.test.ts` tests `a/b.ts`; `a/b/c.test.ts` tests the aspect `c` of `a/b.ts`, or the file `c.ts` of the folder; and
 * `a/b/b.test.ts` tests what the files of the folder `a/b` do together.
 */
test('every unit test is named after its source', () => {
  const isThere = (path: string) => existsSync(new URL(`src/${path}`, ROOT));
  const isSource = (path: string) => isThere(`${path}.ts`) || isThere(`${path}.tsx`);
  const hasSource = (name: string) =>
    isSource(name) || isSource(dirname(name)) || (basename(name) === basename(dirname(name)) && isThere(dirname(name)));
  const tests = readdirSync(new URL('test/unit', ROOT), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => path.replaceAll('\\', '/').replace(/\.test\.ts$/, ''));
  expect(tests.length).toBeGreaterThan(0);
  expect(tests.filter((name) => !hasSource(name))).toEqual([]);
});
