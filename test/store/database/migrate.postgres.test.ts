import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { migrate, schemaVersion } from '../../../src/server/store/migrate.ts';
import { createTestDatabase } from '../../support/database.ts';

test('a migration that waits too long for others is tried again', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-migrations-'));
  const database = await createTestDatabase({ migrated: false });
  try {
    const db = await database.connect();
    await writeFile(join(directory, '0001_first.sql'), 'create table first (id int4);');
    await migrate(db, directory);
    await writeFile(
      join(directory, '0002_second.sql'),
      `set local lock_timeout to '1ms'; alter table first add column size int4;`,
    );
    let migrated: Promise<unknown> | undefined;
    await db.main.withTx(async (tx) => {
      await tx.script('lock table first in access share mode');
      migrated = migrate(db, directory);
      await sleep(200);
      expect(await schemaVersion(db)).toBe(1);
    });
    expect(await migrated).toEqual({ from: 1, to: 2 });
  } finally {
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  }
});
