import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runServer } from '../../src/server/main.ts';
import { loadPostProcessorModules } from '../../src/server/service/post-processors/load-modules.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-modules-'));
  const files: Record<string, string> = {
    'one.mjs': one('a.One'),
    'same.mjs': one('a.One'),
    'two.mjs': `export const factories = [${literal('a.Two')}, ${literal('a.Three')}];`,
    'chat.mjs': one('my.ChatPostProcessorFactory'),
    'nameless.mjs': one(''),
    'no-create.mjs': `export const factory = { name: 'x' };`,
    'nothing.mjs': 'export const other = 1;',
    'throws.mjs': `throw new Error('not today');`,
    'syntax.mjs': 'export const = ;',
    'node_modules/pack/index.mjs': one('a.Pack'),
    'node_modules/pack/package.json': '{"name":"pack","main":"index.mjs"}',
  };
  await mkdir(join(directory, 'node_modules/pack'), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
});
afterAll(() => rm(directory, { recursive: true }));

const literal = (name: string) => `{ name: ${JSON.stringify(name)}, create: () => ({ async *process() {} }) }`;
const one = (name: string) => `export const factory = ${literal(name)};`;
const load = async (...modules: string[]) => [...(await loadPostProcessorModules(modules, directory)).factories.keys()];

test('files relative to the directory, absolute ones, and packages', async () => {
  expect(await load()).toEqual([]);
  expect(await load('./one.mjs', 'two.mjs', 'pack')).toEqual(['a.One', 'a.Two', 'a.Three', 'a.Pack']);
  expect(await load(join(directory, 'one.mjs'))).toEqual(['a.One']);
});

test.each([
  ['./absent.mjs', 'does not load: Cannot find module'],
  ['absent-package', 'does not load: Cannot find module'],
  ['throws.mjs', 'throws.mjs does not load: not today'],
  ['syntax.mjs', 'does not load: '],
  ['nothing.mjs', 'exports neither factory nor factories'],
  ['no-create.mjs', 'without a name or without create()'],
  ['nameless.mjs', 'without a name or without create()'],
  ['chat.mjs', 'without a name or without create()'],
])('%s: %s', async (module, problem) => {
  await expect(load(module)).rejects.toThrow(problem);
});

test('two of one name', async () => {
  await expect(load('one.mjs', 'same.mjs')).rejects.toThrow('same.mjs is the second to name a.One');
});

test('a module that does not load is a problem of the configuration', async () => {
  const said: string[] = [];
  const io = { stdout: { write: () => true }, stderr: { write: (text: string) => said.push(text) } };
  const flags = {
    embedded: true,
    dataDir: directory,
    tlsDisabled: true,
    postProcessorModule: [`${directory}/throws.mjs`],
  };
  expect(await runServer({ flags, env: {}, check: true }, io)).toBe(78);
  expect(said.join('')).toMatch(
    /--post-processor-module \/ SERVICE_POST_PROCESSOR_MODULE \(flag .*does not load: not today/,
  );
});

test('the document shows an example that loads', async () => {
  const text = await readFile(new URL('../../docs/post-processors.md', import.meta.url), 'utf8');
  await writeFile(join(directory, 'example.mjs'), /```js\n(.*?)```/s.exec(text)?.[1] ?? '');
  expect(await load('example.mjs')).toEqual(['org.example.OnePerMemory']);
});
