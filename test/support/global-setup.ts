import { openDataRoot } from './data-root.ts';

/** Says once, plainly, which databases the suite runs on, and makes room for them. */
export function setup(): () => void {
  const url = process.env.TEST_DATABASE_URL;
  const external =
    url === undefined || url === ''
      ? 'set TEST_DATABASE_URL to a PostgreSQL 17 with pgvector to run on that as well'
      : `and on the PostgreSQL of TEST_DATABASE_URL (${new URL(url).host})`;
  process.stdout.write(`\nRunning on the embedded database; ${external}.\n\n`);
  return openDataRoot();
}
