/**
 * Which part may import which. Read downwards: a part knows those below it and never one above it; type-only imports count,
 * and so does every circle of files.
 *
 *     cli | server's root (wiring)
 *     metrics
 *     transport
 *     openapi
 *     service
 *     workers
 *     providers | store
 *     settings | files
 *     the server's own words: context, lifecycle, log, version
 *     shared: operations > fields, json > the rest
 *
 * The client, src/cli, in itself:
 *
 *     main, process, run, registry
 *     completion, help, man, parsing | a folder for each thing that people do
 *     kit: what these share; config > flags > output > errors, text
 */
const SERVER = '^src/server/';
/** Root files of the server that every part of it may import: they import nothing of it but each other. */
const WORDS = `${SERVER}(context|lifecycle|log|version)[.]ts$`;
const ORDER = ['files', 'settings', 'store', 'providers', 'workers', 'service', 'openapi', 'transport', 'metrics'];

/** A part of the server imports nothing above it. */
const upwards = ORDER.map((part, index) => ({
  name: `${part}-imports-downwards`,
  severity: 'error',
  from: { path: `${SERVER}${part}/` },
  to: { path: `${SERVER}(?:(?:${ORDER.slice(index + 1).join('|') || '-'})/|[^/]+[.]ts$)`, pathNot: WORDS },
}));

const CLI = '^src/cli/';
/** Folders of the client that know commands as records only, whichever they are. */
const OF_ALL_COMMANDS = `${CLI}(completion|help|man|parsing)/`;
const KIT = `${CLI}kit/`;
const KIT_ORDER = ['text', 'output', 'flags', 'config'];

/** The first four parts of the kit import nothing of it but errors and those before them. */
const kitUpwards = KIT_ORDER.map((part, index) => ({
  name: `kit-${part}-imports-downwards`,
  severity: 'error',
  from: { path: `${KIT}${part}/` },
  to: { path: KIT, pathNot: `${KIT}(?:errors[.]ts$|(?:${KIT_ORDER.slice(0, index + 1).join('|')})/)` },
}));

/** What one command may use of another one: from which folder, to which files. */
const BETWEEN_COMMANDS = [
  ['memories', 'upload/command[.]ts$'],
  ['spaces', 'transfer/command[.]ts$'],
  ['sync', 'upload/'],
  ['transfer', 'spaces/view[.]ts$'],
];
const betweenCommands = BETWEEN_COMMANDS.map(([from, to]) => ({
  name: `${from}-uses-of-other-commands-what-is-listed`,
  severity: 'error',
  from: { path: `${CLI}${from}/` },
  to: { path: CLI, pathNot: [KIT, `${CLI}${from}/`, CLI + to] },
}));

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    ...upwards,
    {
      name: 'providers-know-no-store',
      severity: 'error',
      from: { path: `${SERVER}providers/` },
      to: { path: `${SERVER}store/` },
    },
    {
      name: 'words-import-nothing',
      severity: 'error',
      from: { path: WORDS },
      to: { path: SERVER, pathNot: WORDS },
    },
    {
      name: 'shared-imports-nothing-above-it',
      severity: 'error',
      from: { path: '^src/shared/' },
      to: { path: '^src/(cli|server|console)/' },
    },
    {
      name: 'operations-are-on-top-of-shared',
      severity: 'error',
      from: { path: '^src/shared/', pathNot: '^src/shared/operations/' },
      to: { path: '^src/shared/operations/' },
    },
    {
      name: 'server-knows-no-client',
      severity: 'error',
      from: { path: SERVER },
      to: { path: '^src/cli/' },
    },
    {
      name: 'only-serve-loads-the-server',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '^src/cli/serve/command[.]ts$' },
      to: { path: SERVER },
    },
    {
      name: 'kit-imports-nothing-above-it',
      severity: 'error',
      from: { path: KIT },
      to: { path: CLI, pathNot: KIT },
    },
    ...kitUpwards,
    {
      name: 'commands-share-through-the-kit',
      severity: 'error',
      from: {
        path: `${CLI}([^/]+)/`,
        pathNot: [KIT, OF_ALL_COMMANDS, `${CLI}(${BETWEEN_COMMANDS.map(([from]) => from).join('|')})/`],
      },
      to: { path: CLI, pathNot: [KIT, `${CLI}$1/`] },
    },
    ...betweenCommands,
    {
      name: 'parser-and-help-know-records-only',
      severity: 'error',
      from: { path: OF_ALL_COMMANDS },
      to: { path: CLI, pathNot: [KIT, OF_ALL_COMMANDS, `${CLI}registry[.]ts$`] },
    },
    {
      name: 'nothing-imports-the-way-of-a-call',
      severity: 'error',
      from: { path: CLI, pathNot: `${CLI}(main|process)[.]ts$` },
      to: { path: `${CLI}(main|process|run)[.]ts$` },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(node_modules|src/shared/gen)/' },
  },
};
