import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Db, Queryable } from './db.ts';
import { FatalDatabaseError, TransientDatabaseError } from './errors.ts';
import { statement } from './statement.ts';
import { pause } from './waiting.ts';

/** Of the advisory lock that migrating servers take; an arbitrary constant. */
const LOCK_KEY = 7_285_132_009;
const LOCK_POLL_MS = 100;
/** Between tries of a migration that has met a deadlock, or waited too long, with servers that are still at work. */
const CONFLICT_PAUSE_MS = 500;
const MIGRATION_TIMEOUT_MS = 3_600_000;

const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/;

/** One file of the migrations folder. */
interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hexadecimal. */
  readonly checksum: string;
}

interface AppliedRow {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

interface MigrateOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with a sentence for each migration. */
  readonly log?: ((message: string) => void) | undefined;
}

const EXISTS = statement({
  name: 'migration_exists',
  purpose: 'Whether the database has a schema',
  text: `select to_regclass('schema_migration') is not null as found`,
});
const APPLIED = statement({
  name: 'migration_applied',
  purpose: 'The migrations that were applied, with their checksums',
  text: 'select version, name, checksum from schema_migration order by version',
});
const LOCK = statement({
  name: 'migration_lock',
  purpose: 'Takes the lock that lets one server at a time migrate',
  text: 'select pg_try_advisory_xact_lock($1::int8) as locked',
});
const RECORD = statement({
  name: 'migration_record',
  purpose: 'Records that a migration was applied',
  text: 'insert into schema_migration (version, name, checksum) values ($1, $2, $3)',
});
export const MIGRATION_TABLE = `create table if not exists schema_migration (
  version int4 primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now()
)`;

/** The numbered .sql files of a folder, in order. Throws for gaps and duplicate numbers. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d.*\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (file, index) => {
      const [, number, name] = FILE_NAME.exec(file) ?? [];
      if (number === undefined || name === undefined || Number(number) !== index + 1) {
        throw new Error(`The migration ${file} should be number ${index + 1}, as in 0001_name.sql.`);
      }
      const sql = await readFile(join(directory, file), 'utf8');
      return { version: index + 1, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function readApplied(database: Queryable, signal: AbortSignal | undefined): Promise<AppliedRow[]> {
  const [exists] = await database.query<{ found: boolean }>(EXISTS, [], { signal });
  return exists?.found === true ? database.query<AppliedRow>(APPLIED, [], { signal }) : [];
}

/** Throws for a schema that this version of the server does not know. */
function check(applied: readonly AppliedRow[], migrations: readonly Migration[]): void {
  for (const row of applied) {
    const known = migrations[row.version - 1];
    if (known === undefined) {
      throw new FatalDatabaseError(
        `The database schema is version ${row.version}, newer than the ${migrations.length} that this server knows.`,
        'Start the newer server version, or restore a backup from before the upgrade.',
      );
    }
    if (known.checksum === row.checksum) continue;
    throw new FatalDatabaseError(
      `Migration ${row.version} (${row.name}) of the database differs from the one of this server.`,
      'Start the server version that created the schema, or use another database.',
    );
  }
}

/** The version of the schema; 0 for an empty database. */
export async function schemaVersion(db: Db, signal?: AbortSignal): Promise<number> {
  return (await readApplied(db.main, signal)).at(-1)?.version ?? 0;
}

/**
 * Migrates the schema to the newest version of `directory`, each migration in a transaction of its own. Any number of
 * servers may do so at once: a transaction-level advisory lock admits one of them, and the others poll. Older servers may
 * still be at work: a migration that conflicts with them, by a deadlock or its own lock_timeout, is tried again.
 * Throws FatalDatabaseError for a newer schema, a changed migration, and missing privileges.
 */
export async function migrate(db: Db, directory: string, options: MigrateOptions = {}) {
  const migrations = await readMigrations(directory);
  let from: number | undefined;
  for (;;) {
    const applied = await readApplied(db.background, options.signal);
    check(applied, migrations);
    from ??= applied.length;
    const next = migrations[applied.length];
    if (next === undefined) return { from, to: applied.length };
    const pauseMs = await apply(db, next, options).then(
      (isApplied) => (isApplied ? 0 : LOCK_POLL_MS),
      (error: unknown) => {
        if (!(error instanceof TransientDatabaseError) || error.reason !== 'conflict') throw error;
        return CONFLICT_PAUSE_MS;
      },
    );
    if (pauseMs > 0) await pause(pauseMs, options.signal);
  }
}

/** Applies one migration. False when another server holds the lock. */
async function apply(db: Db, migration: Migration, options: MigrateOptions): Promise<boolean> {
  const { signal } = options;
  const limits = { signal, timeoutMs: MIGRATION_TIMEOUT_MS };
  try {
    return await db.background.withTx(async (tx) => {
      const [lock] = await tx.query<{ locked: boolean }>(LOCK, [LOCK_KEY], { signal });
      if (lock?.locked !== true) return false;
      // Read again under the lock: another server may have applied it in the meantime.
      if ((await readApplied(tx, signal)).length >= migration.version) return true;
      options.log?.(`Migrating the schema to version ${migration.version} (${migration.name}).`);
      await tx.script(MIGRATION_TABLE, limits);
      await tx.script(migration.sql, limits);
      await tx.execute(RECORD, [migration.version, migration.name, migration.checksum], { signal });
      return true;
    }, limits);
  } catch (error) {
    throw withoutRights(error) ?? error;
  }
}

function withoutRights(error: unknown): FatalDatabaseError | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof pg.DatabaseError) || cause.code !== '42501') return undefined;
  const message = `The database user lacks a privilege that the schema needs: ${cause.message}.`;
  return new FatalDatabaseError(message, 'Let the user own its database, or grant it the right to create in it.', {
    cause: error,
  });
}
