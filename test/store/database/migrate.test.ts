import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Db } from '../../../src/server/store/db.ts';
import { FatalDatabaseError } from '../../../src/server/store/errors.ts';
import { migrate, schemaVersion } from '../../../src/server/store/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let db: Db;
let directory: string;

beforeAll(async () => {
  database = await createTestDatabase({ migrated: false });
  db = await database.connect();
});
afterAll(() => database.drop());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-migrations-'));
  await write('0001_first.sql', 'create table first (id int4); create table other (id int4);');
  await write('0002_second.sql', 'alter table first add column name text;');
});
afterEach(async () => {
  await db.main.script('drop schema public cascade; create schema public');
  await rm(directory, { recursive: true, force: true });
});

const write = (name: string, sql: string) => writeFile(join(directory, name), sql);

describe('migrate', () => {
  test('applies what is missing, in order, once', async () => {
    const said: string[] = [];
    const log = (message: string) => said.push(message);
    expect(await schemaVersion(db)).toBe(0);
    expect(await migrate(db, directory, { log })).toEqual({ from: 0, to: 2 });
    expect(await migrate(db, directory, { log })).toEqual({ from: 2, to: 2 });
    await write('0003_third.sql', `insert into first (name) values ('x; y')`);
    expect(await migrate(db, directory, { log })).toEqual({ from: 2, to: 3 });
    expect(said).toEqual([
      'Migrating the schema to version 1 (first).',
      'Migrating the schema to version 2 (second).',
      'Migrating the schema to version 3 (third).',
    ]);
    const rows = await db.main.query({ name: 'test_first', text: 'select id, name from first' });
    expect(rows).toEqual([{ id: null, name: 'x; y' }]);
    expect(await schemaVersion(db)).toBe(3);
  });

  test('rolls back a migration that fails, and resumes from there', async () => {
    await write('0003_third.sql', 'create table third (id int4); select broken;');
    await expect(migrate(db, directory)).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(await schemaVersion(db)).toBe(2);
    await write('0003_third.sql', 'create table third (id int4);');
    expect(await migrate(db, directory)).toEqual({ from: 2, to: 3 });
  });

  test('refuses a newer schema', async () => {
    await migrate(db, directory);
    await rm(join(directory, '0002_second.sql'));
    const work = migrate(db, directory);
    await expect(work).rejects.toThrow(FatalDatabaseError);
    await expect(work).rejects.toThrow('The database schema is version 2, newer than the 1 that this server knows.');
  });

  test('refuses a migration that was changed after it was applied', async () => {
    await migrate(db, directory);
    await write('0001_first.sql', 'create table first (id int8);');
    const work = migrate(db, directory);
    await expect(work).rejects.toThrow(FatalDatabaseError);
    await expect(work).rejects.toThrow(/Migration 1 \(first\)/);
  });

  test('refuses gaps in the numbers', async () => {
    await write('0004_fourth.sql', 'select 1');
    await expect(migrate(db, directory)).rejects.toThrow('The migration 0004_fourth.sql should be number 3');
  });

  test('many servers at once apply each migration once', async () => {
    await write('0003_third.sql', 'create table third (id int4); insert into third values (1);');
    const servers =
      database.kind === 'embedded'
        ? [db, db, db]
        : await Promise.all(Array.from({ length: 8 }, () => database.connect()));
    const said: string[] = [];
    const outcomes = await Promise.all(
      servers.map((each) => migrate(each, directory, { log: (text) => said.push(text) })),
    );
    expect(outcomes.map(({ to }) => to)).toEqual(servers.map(() => 3));
    expect(said).toHaveLength(3);
    expect(await db.main.query({ name: 'test_third', text: 'select id from third' })).toEqual([{ id: 1 }]);
  });

  test('waiting for another server ends with the signal', async () => {
    const other = database.kind === 'embedded' ? undefined : await database.connect();
    const controller = new AbortController();
    const waiting = () => migrate(db, directory, { signal: controller.signal });
    let work: Promise<unknown> = Promise.resolve();
    if (other === undefined) {
      // The one session of the embedded engine is the lock: while it is held, a second migration waits for it.
      await db.main.withSession(async () => {
        work = waiting().catch((error: unknown) => error);
        controller.abort();
        await work;
      });
    } else {
      // Another server that stays in its first migration until this one has given up.
      await other.main.withTx(async (tx) => {
        await tx.query({ name: 'test_lock', text: 'select pg_advisory_xact_lock(7285132009)' });
        const tries = new Promise<void>((resolve) => {
          setTimeout(resolve, 300);
        });
        work = waiting().catch((error: unknown) => error);
        await tries;
        controller.abort();
        await work;
      });
    }
    expect(await work).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(await migrate(db, directory)).toEqual({ from: 0, to: 2 });
  });
});
