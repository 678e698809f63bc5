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
 * beside its code and loads a debugger that Ink does not install. Neither is here, so the mode is never on.
 * @type {import('esbuild').Plugin}
 */
const withoutInkDevelopment = {
  name: 'without-ink-development',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]ink[/\\]build[/\\]utils\.js$/ }, () => ({ contents: 'export const isDev = () => false;' }));
    onLoad({ filter: /[/\\]ink[/\\]build[/\\]devtools\.js$/ }, () => ({ contents: '' }));
  },
};

/** Tells the module that loads another one late from that one. */
const LATE = '?late';

/**
 * On loading, string-width makes the pattern of all emoji, which takes 25 to 50 ms, a tenth of what a short command takes.
 * Most texts are measured without it, so it is loaded when the first one needs it.
 * @type {import('esbuild').Plugin}
 */
const withLateStringWidth = {
  name: 'with-late-string-width',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^string-width$/ }, async ({ kind, importer, resolveDir }) => {
      // The `require` below asks for the package itself.
      if (kind === 'require-call') return undefined;
      const { path } = await resolve('string-width', { kind: 'require-call', importer, resolveDir });
      return { path, suffix: LATE };
    });
    onLoad({ filter: /[/\\]string-width[/\\]index\.js$/ }, ({ path, suffix }) => {
      if (suffix !== LATE) return undefined;
      const late = `require(${JSON.stringify(path)})`;
      return { contents: `let loaded; export default (...args) => (loaded ??= ${late}).default(...args);` };
    });
  },
};

/**
 * To find out whether it runs at Cloudflare, pg makes a Response, for which Node loads its own `fetch`: 25 ms of every start
 * of a server. It does not run there.
 * @type {import('esbuild').Plugin}
 */
const withoutCloudflare = {
  name: 'without-cloudflare',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]pg[/\\]lib[/\\]stream\.js$/ }, () => ({
      contents: `const net = require('net'), tls = require('tls');
        module.exports = { getStream: () => new net.Socket(), getSecureStream: (options) => tls.connect(options) };`,
    }));
  },
};

/**
 * Of undici, the HTTP client of the server: without `fetch`, WebSocket, caches and stand-ins, which are three quarters of its
 * code and of the time that it takes to load, 40 ms of every start.
 */
const UNDICI = `
  const api = require('undici/lib/api/index.js');
  Object.assign(require('undici/lib/dispatcher/dispatcher.js').prototype, api);
  module.exports = {
    Agent: require('undici/lib/dispatcher/agent.js'),
    buildConnector: require('undici/lib/core/connect.js'),
    errors: require('undici/lib/core/errors.js'),
  };`;

/** @type {import('esbuild').Plugin} */
const withUndiciInPart = {
  name: 'with-undici-in-part',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]undici[/\\]index\.js$/ }, () => ({ contents: UNDICI }));
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
  plugins: [withoutInkDevelopment, withLateStringWidth, withoutCloudflare, withUndiciInPart],
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
const inputs = new Set(Object.keys(metafile.inputs).map((name) => name.replace(LATE, '')));
writeFileSync(join(root, 'dist/third-party-licenses.txt'), licensesOf(root, [...inputs]));
