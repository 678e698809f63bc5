import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '../../../../../src/server/log.ts';
import { loadPostProcessorModules } from '../../../../../src/server/service/post-processors/load-modules.ts';
import { built } from '../../../../support/built.ts';

const entry = built('server/workers/post-processor/entry.js');

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
    'exits.mjs': 'process.exit(7);',
    'loops.mjs': 'for (;;);',
    'writes.mjs': `console.log('good morning'); console.error('\\u001b[31moh'); ${one('a.Writer')}`,
    'node_modules/pack/index.mjs': one('a.Pack'),
    'node_modules/pack/package.json': '{"name":"pack","main":"index.mjs"}',
  };
  await mkdir(join(directory, 'node_modules/pack'), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
});
afterAll(() => rm(directory, { recursive: true }));

const literal = (name: string) => `{ name: ${JSON.stringify(name)}, create: () => ({ async *process() {} }) }`;
const one = (name: string) => `export const factory = ${literal(name)};`;

let logged = '';
const log = createLogger({ level: 'info', format: 'json', stream: { write: (line) => (logged += line) } });

async function load(modules: string[], loadTimeoutMs = 30_000): Promise<string[]> {
  const options = { directory, log, entry, limits: { loadTimeoutMs } };
  const { factories, close } = await loadPostProcessorModules(modules, options);
  await close();
  return [...factories.keys()];
}

test('files relative to the directory, absolute ones, and packages', async () => {
  expect(await load([])).toEqual([]);
  const modules = ['./one.mjs', 'two.mjs', 'pack', join(directory, 'writes.mjs')];
  expect(await load(modules)).toEqual(['a.One', 'a.Two', 'a.Three', 'a.Pack', 'a.Writer']);
});

test('what a module writes is in the log, line by line', async () => {
  logged = '';
  await load(['writes.mjs']);
  const lines = logged.trimEnd().split('\n');
  const common = { module: 'writes.mjs', time: expect.any(String) };
  expect(lines.map((line) => JSON.parse(line)).sort((a, b) => (a.level < b.level ? -1 : 1))).toEqual([
    { ...common, level: 'info', msg: 'good morning' },
    { ...common, level: 'warn', msg: '\u001b[31moh' },
  ]);
});

test('invalid modules', async () => {
  const problems: Record<string, string> = {
    './absent.mjs': 'cannot be loaded: Cannot find module',
    'absent-package': 'cannot be loaded: Cannot find module',
    'throws.mjs': 'throws.mjs cannot be loaded: not today',
    'syntax.mjs': 'cannot be loaded: ',
    'exits.mjs': 'cannot be loaded: The process of the module ended with code 7',
    'nothing.mjs': 'exports neither factory nor factories',
    'no-create.mjs': 'without a name or without create()',
    'nameless.mjs': 'without a name or without create()',
    'chat.mjs': 'without a name or without create()',
  };
  logged = '';
  const tried = Object.entries(problems).map(async ([module, problem]) => {
    await expect(load([module]), module).rejects.toThrow(problem);
  });
  await Promise.all(tried);
  expect(logged).not.toContain('is started again');
});

test('a module that loops while it loads', async () => {
  await expect(load(['loops.mjs'], 300)).rejects.toThrow('loops.mjs cannot be loaded: it did not load within 0.3 s');
});

test('two modules of one name', async () => {
  await expect(load(['one.mjs', 'same.mjs'])).rejects.toThrow(
    'same.mjs exports the name a.One, which another module exports too',
  );
});

test('a module that does not load is a configuration error', () => {
  const svc = fileURLToPath(new URL('../../../../../bin/svc.js', import.meta.url));
  const args = ['serve', '--embedded', '--check', '--post-processor-module', './throws.mjs'];
  const { status, stderr } = spawnSync(process.execPath, [svc, ...args], { cwd: directory, encoding: 'utf8' });
  expect(stderr).toMatch(
    /--post-processor-module \/ SERVICE_POST_PROCESSOR_MODULE \(flag .*\.\/throws.mjs cannot be loaded: not today/,
  );
  expect(status).toBe(78);
});

test('the document shows an example that loads', async () => {
  const text = await readFile(new URL('../../../../../docs/post-processors.md', import.meta.url), 'utf8');
  await writeFile(join(directory, 'example.mjs'), /```js\n(.*?)```/s.exec(text)?.[1] ?? '');
  expect(await load(['example.mjs'])).toEqual(['org.example.OnePerMemory']);
});

test('a module in TypeScript is checked against the types of the package', async () => {
  await symlink(fileURLToPath(new URL('../../../../..', import.meta.url)), join(directory, 'node_modules/svc-memory'));
  const file = join(directory, 'module.mts');
  await writeFile(
    file,
    `import type { PostProcessorFactory } from 'svc-memory/post-processor';
    export const factory: PostProcessorFactory = {
      name: 'org.example.Typed',
      create: (_config, tools) => ({
        async *process({ message, items: [first] }) {
          const [score = 0] = await tools.rerank('id', message, [first?.chunk.chunkText ?? '']);
          // @ts-expect-error: memories have no color.
          void first?.memory.color;
          if (first !== undefined) yield { item: { memory: first.memory, score } };
        },
      }),
    };`,
  );
  const { NodeNext } = ts.ModuleKind;
  const target = ts.ScriptTarget.ES2022;
  const program = ts.createProgram([file], { module: NodeNext, target, strict: true, noEmit: true, types: [] });
  const source = program.getSourceFile(file);
  expect(source).toBeDefined();
  const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  expect(found.map(({ messageText }) => messageText)).toEqual([]);
});
