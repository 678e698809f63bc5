import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '../../../src/server/store/db.ts';
import { readMigrations, schemaVersion } from '../../../src/server/store/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const directory = fileURLToPath(new URL('../../../src/server/store/migrations', import.meta.url));

let databases: TestDatabase[];
let open: Db[];

beforeAll(async () => {
  databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
  open = await Promise.all(databases.map((database) => database.connect()));
});
afterAll(() => Promise.all(databases.map((database) => database.drop())));

test('the migrations apply, and every copy of the template is a database of its own', async () => {
  const newest = (await readMigrations(directory)).length;
  expect(newest).toBeGreaterThan(0);
  await open[0]?.main.script('create table only_here (id int4)');
  const look = { name: 'test_look', text: `select to_regclass('only_here') is not null as here` };
  const seen = await Promise.all(open.map((db) => db.main.query(look)));
  expect(seen).toEqual([[{ here: true }], [{ here: false }]]);
  expect(await Promise.all(open.map((db) => schemaVersion(db)))).toEqual([newest, newest]);
});
