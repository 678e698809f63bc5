// @ts-check
// Writes the code into dist: our modules and the packages that they use, in few files, because a program that is started
// for every command spends most of its time on finding and reading files.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licensesOf } from './third-party-licenses.js';

const root = fileURLToPath(new URL('..', import.meta.url));
/** @type {{ dependencies: Record<string, string> }} */
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Where a process or a thread begins, and what modules of others import. Each keeps its path, below dist. */
const ENTRIES = [
  'src/cli/main.ts',
  'src/server/store/embedded/worker.ts',
  'src/server/workers/thread.ts',
  'src/server/workers/post-processor/entry.ts',
  'src/server/workers/post-processor/types.ts',
];

/** Packages of the older kind call `require`, which an ES module has to make itself. */
const REQUIRE = `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`;

/**
 * Ink has a mode for its own development: with DEV=true in the environment, which other tools have too, it reads its manifest
 * beside its code and loads a debugger that nobody has installed. Neither is here, so the mode is never on.
 * @type {import('esbuild').Plugin}
 */
const withoutInkDevelopment = {
  name: 'without-ink-development',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]ink[/\\]build[/\\]utils\.js$/ }, () => ({ contents: 'export const isDev = () => false;' }));
    onLoad({ filter: /[/\\]ink[/\\]build[/\\]devtools\.js$/ }, () => ({ contents: '' }));
  },
};

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ENTRIES,
  outdir: 'dist',
  outbase: 'src',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  // What is imported dynamically stays in files of its own, which are loaded when they are wanted.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  jsx: 'automatic',
  // Users install what `dependencies` names: packages that load files of their own, above all WebAssembly. Everything else
  // becomes a part of ours.
  external: Object.keys(dependencies),
  plugins: [withoutInkDevelopment],
  define: { 'process.env.NODE_ENV': '"production"' },
  // Two classes of one name stay what they are in logs.
  keepNames: true,
  banner: { js: REQUIRE },
  sourcemap: true,
  sourcesContent: false,
  // The terms are collected below, whole.
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});
writeFileSync(join(root, 'dist/third-party-licenses.txt'), licensesOf(root, Object.keys(metafile.inputs)));
