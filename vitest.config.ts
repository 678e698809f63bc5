import { defineConfig } from 'vitest/config';
import { ENGINE_FLAGS } from './test/support/engine-flags.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/**
 * A folder of test/ is a project. What depends on the database runs on the embedded one and, when TEST_DATABASE_URL names
 * a real PostgreSQL 17 with pgvector, once more on that; everything else runs once, on the embedded one where it needs any.
 */
const PER_DATABASE = ['store', 'contract', 'faults'];
const ON_EMBEDDED = ['wires', 'cli', 'terminal'];

const external = process.env.TEST_DATABASE_URL;
const databases = external === undefined || external === '' ? ['embedded'] : ['embedded', 'postgres'];

/** The files of a folder; they leave no trace in the modules, so these are loaded once and not for every file. */
const folder = (area: string) => ({
  include: [`test/${area}/**/*.test.ts`],
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 120_000,
});
const onDatabase = (database: string) => ({
  // What only a database of its own can show: `*.postgres.test.ts`.
  exclude: database === 'embedded' ? ['**/*.postgres.test.ts'] : [],
  env: { SVC_TEST_DATABASE: database },
  execArgv: database === 'embedded' ? [...ENGINE_FLAGS] : [],
});

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', ...folder('unit') } },
      // Among it are tests of the embedded engine, which run it as users do.
      { test: { name: 'process', ...folder('process'), env: { SVC_TEST_DATABASE: 'embedded' } } },
      ...ON_EMBEDDED.map((area) => ({ test: { name: area, ...folder(area), ...onDatabase('embedded') } })),
      { test: { name: 'console', ...folder('console'), ...onDatabase('embedded'), isolate: true } },
      ...databases.flatMap((database) =>
        PER_DATABASE.map((area) => ({
          test: { name: `${area}:${database}`, ...folder(area), ...onDatabase(database) },
        })),
      ),
    ],
    // Each worker loads the modules of every folder and starts a server of its own; two cores are busy with three of them.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/global-setup.ts'],
  },
});
