import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
/** What the build itself consists of. */
const REAL = [
  'src/build.js',
  'bin/package.json',
  'bin/svc.js',
  'src/bundle.js',
  'src/compile.js',
  'src/third-party-licenses.js',
  'src/server/build-facts.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];
/** The rest is as little as can be built. */
const SMALL = {
  'src/one.ts': "import { validate } from 'uuid';\nexport const one: string = validate('1') ? 'an id' : 'one';\n",
  'src/cli/main.ts': `import { one } from '../one.ts';
    export const main = async () => console.log(one, typeof (await import('jq-wasm')).raw);`,
  'src/server/store/embedded/worker.ts': '',
  'src/server/workers/thread.ts': '',
  'src/server/workers/post-processor/entry.ts': '',
  'src/server/workers/post-processor/types.ts': 'export interface Input { message: string }\n',
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
/** What a file of the project prints. */
const run = (path: string, env: NodeJS.ProcessEnv = {}) =>
  execFileSync(process.execPath, [join(project, path)], { encoding: 'utf8', env: { ...process.env, ...env } });
const SAYS_SO = /^Building dist from the sources/;

test('a changed source is rebuilt after a message, and a failed build is repeated', async () => {
  expect(build('--if-changed')).toMatchObject({ status: 0, stderr: expect.stringMatching(SAYS_SO) });
  expect(run('bin/svc.js')).toBe('one function\n');
  expect(await built('migrations/0001_initial.sql')).toBe('select 1;\n');
  expect(await built('server/workers/post-processor/types.d.ts')).toBe('export interface Input { message: string }\n');
  expect(build('--if-changed')).toEqual({ status: 0, stdout: '', stderr: '' });

  await writeFile(join(project, 'src/one.ts'), "export const one: string = 'two;\n");
  for (const _ of [1, 2]) {
    const failed = build('--if-changed');
    expect(failed.status).not.toBe(0);
    expect(failed.stderr).toMatch(SAYS_SO);
    expect(failed.stderr).toContain('src/one.ts');
  }
  await writeFile(join(project, 'src/one.ts'), "export const one: string = 'two';\n");
  expect(build()).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(run('bin/svc.js')).toBe('two function\n');
  expect(build('--if-changed').stderr).toBe('');
});

test('packages that are built in are named with their terms, and those that users install stay outside', async () => {
  await writeFile(join(project, 'src/one.ts'), SMALL['src/one.ts']);
  expect(build().status).toBe(0);
  const terms = await built('third-party-licenses.txt');
  expect(terms).toMatch(/^uuid \d+\.\d+\.\d+, MIT\n[\s\S]*Copyright \(c\) 2010-2020 Robert Kieffer/m);
  expect(terms).not.toContain('jq-wasm');
  expect(await built('cli/main.cjs')).toContain('require("jq-wasm")');
  expect(await built('cli/main.cjs')).not.toMatch(/require\(["']uuid/);
});

test('the terms hold the notices of single files, and the standard text where a package names its license alone', async () => {
  await writeFile(
    join(project, 'src/one.ts'),
    `export { default as one } from 'abstract-logging';
     export { BinaryReader } from '@bufbuild/protobuf/wire';
     export { merge } from './two.js';`,
  );
  await writeFile(join(project, 'src/two.js'), "export { default as merge } from '@fastify/deepmerge';\n");
  expect(build()).toEqual({ status: 0, stdout: '', stderr: '' });
  const terms = (await built('third-party-licenses.txt')).split(`\n${'-'.repeat(80)}\n`);
  const of = (name: string) => terms.find((text) => text.startsWith(`\n${name} `)) ?? '';
  expect(of('abstract-logging')).toMatch(/Permission is hereby granted, free of charge,[\s\S]*WITHOUT WARRANTY/);
  expect(of('@bufbuild/protobuf')).toMatch(/TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION/);
  expect(of('@bufbuild/protobuf')).toMatch(/^Copyright 2008 Google Inc\..*\n\nRedistribution and use in source/m);
  expect(of('@fastify/deepmerge')).toMatch(/^Copyright \(c\) 2012 - 2022 James Halliday/m);
});

test.each([
  ['no license', {}],
  ['one that has no text', { license: 'SEE LICENSE IN elsewhere' }],
])('a package that names %s is not built in', async (_, manifest) => {
  const directory = join(project, 'src/node_modules/termless');
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'package.json'), JSON.stringify({ name: 'termless', version: '1.2.3', ...manifest }));
  await writeFile(join(directory, 'index.js'), 'export const one = 1;\n');
  await writeFile(join(project, 'src/one.ts'), "export { one } from 'termless';\n");
  const { status, stderr } = build();
  await rm(directory, { recursive: true });
  expect(status).not.toBe(0);
  expect(stderr).toContain('The package termless 1.2.3 must not become a part of dist');
});

test('a screen loads where the environment switches the development of other programs on', async () => {
  await writeFile(
    join(project, 'src/one.ts'),
    "import { render } from 'ink';\nexport const one: string = typeof render;\n",
  );
  expect(build()).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(run('bin/svc.js', { DEV: 'true' })).toBe('function function\n');
});

test('a function that is called because it throws is called', async () => {
  const tried = (call: string) => `(() => { try {\n${call}\n} catch { return 'thrown'; } return 'lost'; })()`;
  const calls = [
    "decodeURIComponent('%');",
    "encodeURIComponent('\\ud800');",
    "void decodeURI('%');",
    "const check = (text: string) => encodeURI(text);\ncheck('\\ud800');",
    '((point: number) => { String.fromCodePoint(point); })(-1);',
    "new URL('');",
    "BigInt('x');",
    "new RegExp('(');",
    "JSON.parse('{');",
  ];
  await writeFile(join(project, 'src/one.ts'), `export const one = [${calls.map(tried).join(', ')}].join(' ');\n`);
  expect(build()).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(run('bin/svc.js')).toBe(`${'thrown '.repeat(calls.length)}function\n`);
});

test('packages that are built in and loaded when needed are taken whole, as the build names nothing in those of the older kind', async () => {
  const { dependencies } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));
  const outside = Object.keys(dependencies);
  const found: string[] = [];
  for (const name of await readdir(join(REPOSITORY, 'src'), { recursive: true })) {
    if (!/\.tsx?$/.test(name)) continue;
    const text = await readFile(join(REPOSITORY, 'src', name), 'utf8');
    for (const [line, path = ''] of text.matchAll(/.*await import\('([^.'][^']*)'\).*/g)) {
      if (!outside.some((dependency) => path.startsWith(dependency))) found.push(line.trim());
    }
  }
  expect(found).not.toEqual([]);
  for (const line of found)
    expect(line).toMatch(/const \{ default: \w+ \} = await import|\(await import\('[^']+'\)\)\.default/);
});
