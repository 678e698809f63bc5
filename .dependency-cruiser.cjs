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
 */
const SERVER = '^src/server/';
/** Root files of the server that every part of it may import: they import nothing of it but each other. */
const WORDS = `${SERVER}(context|lifecycle|log|log-text|log-redaction|version)[.]ts$`;
const ORDER = ['files', 'settings', 'store', 'providers', 'workers', 'service', 'openapi', 'transport', 'metrics'];

/** A part of the server imports nothing above it. */
const upwards = ORDER.map((part, index) => ({
  name: `${part}-imports-downwards`,
  severity: 'error',
  from: { path: `${SERVER}${part}/` },
  to: { path: `${SERVER}(?:(?:${ORDER.slice(index + 1).join('|') || '-'})/|[^/]+[.]ts$)`, pathNot: WORDS },
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
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(node_modules|src/shared/gen)/' },
  },
};
