import { defineConfig } from 'vitest/config';
import { ENGINE_FLAGS } from './test/support/engine-flags.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/**
 * What depends on the database runs on the embedded one and, when TEST_DATABASE_URL names a real PostgreSQL 17 with pgvector,
 * once more on that; everything else runs once, on the embedded one where it needs any.
 *
 * A project is what one worker can run: it keeps the modules, and the server that contract tests share, from file to file,
 * while the first file of another project starts a worker anew, which takes one to two seconds. Single folders are chosen by
 * their path: `vitest run test/store`.
 */
const PER_DATABASE = ['store', 'contract', 'faults'];
const ON_EMBEDDED = [...PER_DATABASE, 'wires', 'cli', 'terminal', 'process', 'unit'];

/** Its tests count timers, and what other files have left running makes timers too. */
const WAITING = 'unit/shared/async';
/** Its tests run the embedded engine as users do, without the flags that spare compiling it well. */
const ENGINE = 'process/server/store/embedded';

const external = process.env.TEST_DATABASE_URL;

/** The files of folders; they leave no trace in the modules, so these are loaded once and not for every file. */
const folders = (...names: string[]) => ({
  include: names.map((name) => `test/${name}/**/*.test.ts`),
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 120_000,
});
const embedded = { env: { SVC_TEST_DATABASE: 'embedded' }, execArgv: [...ENGINE_FLAGS] };

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'waiting', ...folders(WAITING) } },
      { test: { name: 'engine', ...folders(ENGINE) } },
      { test: { name: 'console', ...folders('console'), ...embedded, isolate: true } },
      // `*.postgres.test.ts` is what only a database of its own can show.
      {
        test: {
          name: 'embedded',
          ...folders(...ON_EMBEDDED),
          ...embedded,
          exclude: ['**/*.postgres.test.ts', `test/${WAITING}/**`, `test/${ENGINE}/**`],
        },
      },
      ...(external === undefined || external === ''
        ? []
        : [{ test: { name: 'postgres', ...folders(...PER_DATABASE), env: { SVC_TEST_DATABASE: 'postgres' } } }]),
    ],
    // Each worker loads the modules and starts a server of its own; two cores are busy with three of them.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/global-setup.ts'],
  },
});
