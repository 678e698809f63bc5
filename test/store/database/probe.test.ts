import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../../src/server/settings/database-url.ts';
import { FatalDatabaseError } from '../../../src/server/store/errors.ts';
import { openDatabase } from '../../../src/server/store/open.ts';
import { createTestDatabase, testDatabaseKind } from '../../support/database.ts';

describe('a usable server', () => {
  test('is described', async () => {
    const database = await createTestDatabase({ migrated: false });
    const db = await database.connect();
    const embedded = database.kind === 'embedded';
    expect(db.server.version).toMatch(/^17\.\d+$/);
    expect(db.server.vectorVersion).toMatch(/^0\.[89]\.\d+$/);
    expect(db.capabilities).toMatchObject({ embedded, sessions: embedded ? 'one' : 'many' });
    expect(db.warnings.length).toBe(embedded || db.capabilities.parallelIndexBuild ? 0 : 1);
    await database.drop();
  });
});

if (testDatabaseKind() === 'postgres') {
  describe('privileges', async () => {
    const suffix = randomUUID().slice(0, 8);
    const role = `svc_poor_${suffix}`;
    const database = await createTestDatabase({ migrated: false });
    const url = new URL(database.url ?? '');
    // The vector extension is installed by the first connection with the rights to; these tests need it missing.
    const admin = await openDatabase({ target: { ...parseDatabaseUrl(url.href), database: 'postgres' } });
    await admin.main.script(`create role ${role} login`);

    const asRole = (rest = '', user = role) => {
      const target = parseDatabaseUrl(`${url.href}?sslmode=disable${rest}`, { user });
      return openDatabase({ target });
    };
    afterAll(async () => {
      await database.drop();
      await admin.main.script(`drop role ${role}`);
      await admin.close();
    });

    test('no privilege to create tables', async () => {
      await expect(asRole()).rejects.toThrow(`The role ${role} may not create tables in the schema public`);
    });

    test('no privilege to create the extension', async () => {
      const own = `svc_own_${suffix}`;
      await admin.main.script(`create database ${own} owner ${role}`);
      const target = { ...parseDatabaseUrl(url.href, { user: role }), database: own };
      const work = openDatabase({ target });
      await expect(work).rejects.toThrow(FatalDatabaseError);
      await expect(work).rejects.toThrow(`The role ${role} may not create the vector extension`);
      await admin.main.script(`drop database ${own}`);
    });

    test('a schema that does not exist, and one that hides the extension', async () => {
      await expect(asRole('&currentSchema=nowhere', 'postgres')).rejects.toThrow(/No schema of the search path exists/);
      const db = await asRole('', 'postgres');
      await db.main.script('create schema tenant');
      await expect(asRole('&currentSchema=tenant', 'postgres')).rejects.toThrow(/outside the search path/);
      const tenant = await asRole('&currentSchema=tenant,public', 'postgres');
      const [row] = await tenant.main.query({ name: 'test_schema', text: 'select current_schema() as schema' });
      expect(row).toEqual({ schema: 'tenant' });
      await Promise.all([db.close(), tenant.close()]);
    });

    test('concurrent servers create a missing extension once', async () => {
      const fresh = await createTestDatabase({ migrated: false });
      const all = await Promise.all(Array.from({ length: 8 }, () => fresh.connect()));
      expect(new Set(all.map(({ server }) => server.vectorVersion)).size).toBe(1);
      await fresh.drop();
    });

    test('an unknown role and an unknown database', async () => {
      await expect(asRole('', `nobody_${suffix}`)).rejects.toThrow(/does not allow the user nobody/);
      const target = { ...parseDatabaseUrl(url.href), database: 'no_such_database' };
      await expect(openDatabase({ target })).rejects.toThrow('The database no_such_database does not exist.');
    });
  });
}
