import { readdirSync, readFileSync } from 'node:fs';
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
