import pg from 'pg';
import type { ProbedServer } from './db.ts';
import { FatalDatabaseError } from './errors.ts';
import type { Session } from './session.ts';

const OLDEST_SERVER = 170_000;
const OLDEST_VECTOR = '0.8.0';
const SAFE_PARALLEL_VECTOR = '0.8.2';

/**
 * All of it is read by the snapshot of the statement. `to_regtype` goes by the session's cache of the catalog, which may not
 * have heard yet of an extension that another session has just created and the snapshot shows.
 */
const PROBE = `
select current_setting('server_version') as version,
       current_setting('server_version_num')::int4 as version_number,
       pg_is_in_recovery() as standby,
       current_database() as database,
       current_user as role,
       current_schema() as schema,
       has_schema_privilege(coalesce(current_schema(), 'pg_catalog'), 'create') as may_create_tables,
       (select extversion from pg_extension where extname = 'vector') as installed,
       (select default_version from pg_available_extensions where name = 'vector') as available,
       exists (
         select from pg_type t join pg_namespace n on n.oid = t.typnamespace
         where t.typname = 'halfvec' and n.nspname = any (current_schemas(true))
       ) as reachable`;

interface ProbeRow {
  readonly version: string;
  readonly version_number: number;
  readonly standby: boolean;
  readonly database: string;
  readonly role: string;
  readonly schema: string | null;
  readonly may_create_tables: boolean;
  readonly installed: string | null;
  readonly available: string | null;
  readonly reachable: boolean;
}

/** A replica is only read and never migrated, so rights to create are not checked there. */
export type DatabaseRole = 'primary' | 'replica';

/** Compares dotted versions by number: negative when `left` is older. */
function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((version) => version.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let index = 0; index < 3; index += 1) {
    const difference = (a?.[index] ?? 0) - (b?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether HNSW indexes may be built with parallel workers. */
export function parallelBuildIsSafe(vectorVersion: string): boolean {
  return compareVersions(vectorVersion, SAFE_PARALLEL_VECTOR) >= 0;
}

async function read(session: Session): Promise<ProbeRow> {
  const { rows } = await session.send({ text: PROBE });
  return rows[0] as ProbeRow;
}

/**
 * Checks the server behind `session` and creates the vector extension if it is missing. Only the attempt shows whether the
 * role may create it, since managed servers allow that to roles that are neither owner nor superuser. Throws
 * FatalDatabaseError for failures that a retry cannot fix, and pg's errors otherwise.
 */
export async function probeServer(session: Session, role: DatabaseRole): Promise<ProbedServer> {
  let row = await read(session);
  checkServer(row);
  if (role === 'primary') {
    // Not fatal: during a fail-over the standby is about to become the primary.
    if (row.standby) throw new Error('The database is a standby and takes no writes at the moment.');
    checkSchema(row);
    if (row.installed === null) {
      await createExtension(session, row);
      row = await read(session);
    }
  }
  return { version: row.version.split(' ', 1)[0] ?? '', vectorVersion: checkVector(row) };
}

function checkServer(row: ProbeRow): void {
  if (row.version_number >= OLDEST_SERVER) return;
  throw new FatalDatabaseError(
    `The database server is PostgreSQL ${row.version}; version 17 or newer is needed.`,
    'Upgrade the database server, or give the URL of another one.',
  );
}

function checkSchema(row: ProbeRow): void {
  if (row.schema === null) {
    throw new FatalDatabaseError(
      `No schema of the search path exists in the database ${row.database}.`,
      'Create the schema, or correct currentSchema in the database URL.',
    );
  }
  if (row.may_create_tables) return;
  throw new FatalDatabaseError(
    `The role ${row.role} may not create tables in the schema ${row.schema} of the database ${row.database}.`,
    `As an administrator run: grant create on schema ${pg.escapeIdentifier(row.schema)} to ${pg.escapeIdentifier(row.role)};`,
  );
}

async function createExtension(session: Session, row: ProbeRow): Promise<void> {
  if (row.available === null) {
    throw new FatalDatabaseError(
      'The vector extension is not available on the database server.',
      'Install pgvector 0.8.0 or newer for PostgreSQL 17 on the server of the database.',
    );
  }
  try {
    await session.send({ text: 'create extension if not exists vector' });
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    // Another server created it at the same time: "if not exists" checks before it takes the lock.
    if (code === '23505' || code === '42710') return;
    if (code !== '42501') throw error;
    throw new FatalDatabaseError(
      `The role ${row.role} may not create the vector extension in the database ${row.database}.`,
      `As an administrator run in the database ${row.database}: create extension vector;`,
      { cause: error },
    );
  }
}

/** The version of the installed extension. Throws when it cannot be used. */
function checkVector(row: ProbeRow): string {
  if (row.installed === null) throw new Error('The vector extension is not installed on the replica yet.');
  if (compareVersions(row.installed, OLDEST_VECTOR) < 0) {
    throw new FatalDatabaseError(
      `The vector extension is version ${row.installed}; ${OLDEST_VECTOR} or newer is needed.`,
      'Install a newer pgvector on the database server, then run: alter extension vector update;',
    );
  }
  if (row.reachable) return row.installed;
  throw new FatalDatabaseError(
    `The vector extension of the database ${row.database} is installed in a schema outside the search path.`,
    'Add that schema to currentSchema in the database URL, after the one for the tables.',
  );
}

/** Sentences for the log about a server that works but should be upgraded. */
export function serverWarnings(vectorVersion: string): string[] {
  if (parallelBuildIsSafe(vectorVersion)) return [];
  const text = `vector ${vectorVersion} can overflow a buffer in parallel index builds (CVE-2026-3172), so indexes are built`;
  return [`${text} serially; version ${SAFE_PARALLEL_VECTOR} fixes it.`];
}
