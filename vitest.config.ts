import { defineConfig } from 'vitest/config';
import { ENGINE_FLAGS } from './test/support/engine-flags.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/**
 * Two databases, one suite: every project that touches a database runs once on the embedded engine and, when
 * TEST_DATABASE_URL names a real PostgreSQL 17 with pgvector, once more on that.
 */
const external = process.env.TEST_DATABASE_URL;
const databases = external === undefined || external === '' ? ['embedded'] : ['embedded', 'postgres'];
const timeouts = { testTimeout: 60_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    projects: [
      // What a screen shows does not depend on the database behind the server.
      {
        test: {
          name: 'terminal',
          include: ['test/terminal/**/*.test.ts'],
          env: { SVC_TEST_DATABASE: 'embedded' },
          execArgv: [...ENGINE_FLAGS],
          isolate: false,
          ...timeouts,
        },
      },
      // Nor does what a browser shows.
      {
        test: {
          name: 'console',
          include: ['test/console/**/*.test.ts'],
          env: { SVC_TEST_DATABASE: 'embedded' },
          execArgv: [...ENGINE_FLAGS],
          ...timeouts,
        },
      },
      // Nothing here leaves a trace in its modules, so they are loaded once and not for every file.
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], isolate: false, ...timeouts } },
      ...databases.flatMap((database) =>
        ['store', 'contract', 'cli', 'faults'].map((area) => ({
          test: {
            name: `${area}:${database}`,
            include: [`test/${area}/**/*.test.ts`],
            // What only a database of its own can show: `*.postgres.test.ts`.
            exclude: database === 'embedded' ? ['**/*.postgres.test.ts'] : [],
            env: { SVC_TEST_DATABASE: database },
            execArgv: database === 'embedded' ? [...ENGINE_FLAGS] : [],
            isolate: false,
            ...timeouts,
          },
        })),
      ),
    ],
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/global-setup.ts'],
  },
});
