// @ts-check
// Writes the code into dist: our modules and the packages that they use, in few files, because a program that is started
// for every command spends most of its time on finding and reading files.
import { readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { licensesOf } from './third-party-licenses.js';

const root = fileURLToPath(new URL('..', import.meta.url));
/** @type {{ dependencies: Record<string, string> }} */
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The program. `require` finds, reads and links its files in half of the time that Node takes for ES modules. */
const PROGRAM = 'src/cli/main.ts';

/**
 * Where threads and other processes begin, and what modules of others import. Each keeps its path, below dist, and has all
 * of its code in itself, as a thread shares none with the program.
 */
const ENTRIES = [
  'src/server/store/embedded/worker.ts',
  'src/server/workers/thread.ts',
  'src/server/workers/post-processor/entry.ts',
  'src/server/workers/post-processor/types.ts',
];

/**
 * What commands load one after the other, each with all that it imports and the ones before it have not: a file for each.
 * The commands themselves have in `COMMANDS` what several of them import.
 */
const START = { process: 'src/cli/process.ts', run: 'src/cli/run.ts' };
const COMMANDS = { name: 'commands', importer: 'src/cli/registry.ts' };
const CLIENT = ['config/address', 'client/tls-ladder', 'client/profile-server', 'client/grpc-client'];

/**
 * What the modules below contain, or are replaced by.
 * @type {[RegExp, string | ((code: string) => string)][]}
 */
const CHANGED = [
  // Ink has a mode for its own development: with DEV=true in the environment, which other tools have too, it reads its manifest
  // beside its code and loads a debugger that Ink does not install. Neither is here, so the mode is never on.
  [/[/\\]ink[/\\]build[/\\]utils\.js$/, 'export const isDev = () => false;'],
  [/[/\\]ink[/\\]build[/\\]devtools\.js$/, 'export {};'],
  [/[/\\]ink[/\\]build[/\\]reconciler\.js$/, (code) => code.replace(/await (?=import\(|loadPackageJson\()/g, '')],
  // The layout of screens is WebAssembly, which Yoga loads with an await that the files of `require` cannot have: here
  // by the hook of Emscripten for doing it at once.
  [
    /[/\\]yoga-layout[/\\]dist[/\\]src[/\\]index\.js$/,
    `import load, { BYTES } from '../binaries/yoga-wasm-base64-esm.js';
    import wrapAssembly from './wrapAssembly.js';
    const assembly = {
      instantiateWasm: (imports, receive) =>
        receive(new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(BYTES, 'base64')), imports)),
    };
    load(assembly);
    export default wrapAssembly(assembly);
    export * from './generated/YGEnums.js';`,
  ],
  [
    /[/\\]yoga-wasm-base64-esm\.js$/,
    (code) => code.replace(/(;base64,)([\w+/=]+)"/, '$1"').concat(`export const BYTES = '${wasmIn(code)}';`),
  ],
  // To find out whether it runs at Cloudflare, pg makes a Response, for which Node loads its own `fetch`: 25 ms of every start
  // of a server. It does not run there.
  [
    /[/\\]pg[/\\]lib[/\\]stream\.js$/,
    `const net = require('net'), tls = require('tls');
    module.exports = { getStream: () => new net.Socket(), getSecureStream: (options) => tls.connect(options) };`,
  ],
  // Of undici, the HTTP client of the server: without `fetch`, WebSocket, caches and stand-ins, which are three quarters of its
  // code and of the time that it takes to load, 40 ms of every start.
  [
    /[/\\]undici[/\\]index\.js$/,
    `const api = require('undici/lib/api/index.js');
    Object.assign(require('undici/lib/dispatcher/dispatcher.js').prototype, api);
    module.exports = {
      Agent: require('undici/lib/dispatcher/agent.js'),
      buildConnector: require('undici/lib/core/connect.js'),
      errors: require('undici/lib/core/errors.js'),
    };`,
  ],
  // Of grpc-js, what its own service for debuggers loads: half of all its code, and never called.
  [/[/\\]@grpc[/\\]proto-loader[/\\]build[/\\]src[/\\]index\.js$/, 'module.exports = {};'],
];

/** @param {string} code of the binary of Yoga */
function wasmIn(code) {
  const [, bytes] = /;base64,([\w+/=]+)"/.exec(code) ?? [];
  if (bytes === undefined) throw new Error('The binary of Yoga is not where it was');
  return bytes;
}

/** Tells the module that loads another one late from that one. */
const LATE = '?late';

/**
 * The files that something of the build is made of.
 * @type {Set<string>}
 */
const used = new Set();

/** @type {import('rolldown').Plugin} */
const withChanges = {
  name: 'with-changes',
  load(id) {
    const change = CHANGED.find(([path]) => path.test(id))?.[1];
    if (change === undefined) return null;
    return typeof change === 'string' ? change : change(readFileSync(id, 'utf8'));
  },
  buildEnd() {
    for (const id of this.getModuleIds()) if (isAbsolute(id)) used.add(relative(root, id.replace(LATE, '')));
  },
};

/**
 * Rolldown takes a call of these for one that does nothing, and leaves it out where its result is of no use. They throw for what is
 * malformed, and some code calls them for that. Named as a property of `globalThis` they are called.
 */
const THROWING = ['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'String.fromCodePoint'];

/**
 * On loading, string-width makes the pattern of all emoji, which takes 25 to 50 ms, a tenth of what a short command takes.
 * Most texts are measured without it, so it is loaded when the first one needs it.
 * @type {import('rolldown').Plugin}
 */
const withLateStringWidth = {
  name: 'with-late-string-width',
  async resolveId(source, importer, { kind }) {
    // The `require` below asks for the package itself.
    if (source !== 'string-width' || kind === 'require-call') return null;
    const resolved = await this.resolve(source, importer, { skipSelf: true });
    return resolved === null ? null : `${resolved.id}${LATE}`;
  },
  load(id) {
    if (!id.endsWith(`string-width/index.js${LATE}`)) return null;
    return `let loaded; export default (...args) => (loaded ??= require('string-width')).default(...args);`;
  },
};

const PLUGINS = [withChanges, withLateStringWidth];

/** @type {import('rolldown').BuildOptions} */
const COMMON = {
  cwd: root,
  platform: 'node',
  // Users install what `dependencies` names: packages that load files of their own, above all WebAssembly. Everything else
  // becomes a part of ours.
  external: Object.keys(dependencies).map((name) => new RegExp(`^${name}(?:/|$)`)),
  transform: {
    target: 'node20.19',
    jsx: 'react-jsx',
    define: {
      'process.env.NODE_ENV': '"production"',
      ...Object.fromEntries(THROWING.map((name) => [name, `globalThis.${name}`])),
    },
  },
  logLevel: 'warn',
};

/** @type {import('rolldown').OutputOptions} */
const OUTPUT = {
  dir: join(root, 'dist'),
  // Two classes of one name stay what they are in logs.
  keepNames: true,
  sourcemap: true,
  sourcemapExcludeSources: true,
  // The terms are collected below, whole.
  comments: { legal: false },
};

/**
 * The file of a module, for those that are not left to the bundler.
 * @type {Map<string, string>}
 */
const places = new Map();

/** @type {import('rolldown').Plugin} */
const withPlaces = {
  name: 'with-places',
  buildEnd() {
    /** A module and all that it imports, but for what has a place already. @param {string} id @param {Set<string>} found */
    const withImports = (id, found = new Set()) => {
      if (places.has(id) || found.has(id)) return found;
      found.add(id);
      for (const imported of this.getModuleInfo(id)?.importedIds ?? []) withImports(imported, found);
      return found;
    };
    /** @param {string} name @param {string} path */
    const place = (name, path) => {
      for (const id of withImports(join(root, path))) places.set(id, name);
    };
    place('main', PROGRAM);
    for (const [name, path] of Object.entries(START)) place(name, path);
    /** @type {Set<string>} */
    const seen = new Set();
    /** @type {Set<string>} */
    const shared = new Set();
    for (const command of this.getModuleInfo(join(root, COMMANDS.importer))?.dynamicallyImportedIds ?? []) {
      for (const id of withImports(command)) (seen.has(id) ? shared : seen).add(id);
    }
    for (const id of shared) places.set(id, COMMANDS.name);
    for (const name of CLIENT) place('client', `src/cli/kit/${name}.ts`);
  },
};

/** The names of entries in dist: their paths below src. @param {string[]} paths */
function named(paths) {
  return Object.fromEntries(paths.map((path) => [path.replace(/^src\/|\.ts$/g, ''), path]));
}

await build({
  ...COMMON,
  plugins: [...PLUGINS, withPlaces],
  input: named([PROGRAM]),
  preserveEntrySignatures: 'allow-extension',
  output: {
    ...OUTPUT,
    format: 'cjs',
    // V8 forgets, in code that it has compiled before, who runs an `import()`.
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
    codeSplitting: {
      groups: [{ name: (id) => places.get(id) ?? null, debugName: 'places' }],
      includeDependenciesRecursively: false,
    },
  },
});
await build({
  ...COMMON,
  plugins: PLUGINS,
  input: named(ENTRIES),
  output: { ...OUTPUT, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
});
writeFileSync(join(root, 'dist/third-party-licenses.txt'), licensesOf(root, [...used]));
