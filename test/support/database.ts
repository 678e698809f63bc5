/**
 * A database of its own for every test file, on the engine that the vitest project asks for. Migrating takes seconds
 * and copying a migrated database a fraction of one, so a template is migrated once and copied from then on. Its name
 * carries a hash of the migrations: a changed migration makes a new template.
 */
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { DirectoryInUse, type DirectoryLock, lockDirectory } from '../../src/server/files/directory-lock.ts';
import { parseDatabaseUrl } from '../../src/server/settings/database-url.ts';
import type { Db } from '../../src/server/store/db.ts';
import { startEmbedded } from '../../src/server/store/embedded/engine.ts';
import { migrate, readMigrations } from '../../src/server/store/migrate.ts';
import { type OpenOptions, openDatabase } from '../../src/server/store/open.ts';
import { built } from './built.ts';
import { makeDataDirectory } from './data-root.ts';

const MIGRATIONS = fileURLToPath(new URL('../../src/server/store/migrations', import.meta.url));

export interface TestDatabase {
  readonly kind: 'embedded' | 'postgres';
  /** Where a real one is. */
  readonly url?: string;
  /** Flags of `svc serve` that make it use this database. */
  readonly serverFlags: string[];
  /** Opens it from inside the test; an embedded one only while no server runs on it. `close` ends the engine too. */
  connect(options?: Partial<OpenOptions>): Promise<Db>;
  /** Closes what `connect` opened and removes the database. */
  drop(): Promise<void>;
}

interface TestDatabaseOptions {
  /** False gives an empty database instead of one with the current schema. */
  readonly migrated?: boolean;
}

/** The engine under test; `vitest.config.ts` sets it per project. */
export function testDatabaseKind(): TestDatabase['kind'] {
  return process.env.SVC_TEST_DATABASE === 'postgres' ? 'postgres' : 'embedded';
}

export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { migrated = true } = options;
  return testDatabaseKind() === 'postgres' ? createPostgres(migrated) : createEmbedded(migrated);
}

async function schemaHash(): Promise<string> {
  const sums = (await readMigrations(MIGRATIONS)).map(({ checksum }) => checksum);
  return createHash('sha256').update(sums.join()).digest('hex').slice(0, 12);
}

/** Remembers what was opened, so that `drop` leaves nothing behind when a test fails half-way. */
function tracked() {
  const open = new Set<Db>();
  return {
    add(db: Db): Db {
      const entry: Db = {
        ...db,
        async close(graceMs) {
          if (open.delete(entry)) await db.close(graceMs);
        },
      };
      open.add(entry);
      return entry;
    },
    async closeAll() {
      await Promise.all([...open].map((db) => db.close(0)));
    },
  };
}

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (url === undefined || url === '') throw new Error('TEST_DATABASE_URL must name a PostgreSQL 17 with pgvector.');
  return url;
}

function urlOf(database: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  return url.href;
}

async function asAdmin<T>(fn: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: serverUrl(), connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query(`set statement_timeout to '120s'`);
    return await fn(client);
  } finally {
    await client.end();
  }
}

/** Makes the template unless it is there. The lock lets one of several test workers through. */
async function postgresTemplate(client: pg.Client): Promise<string> {
  const template = `svc_template_${await schemaHash()}`;
  await client.query('select pg_advisory_lock(hashtext($1))', [template]);
  try {
    const { rows } = await client.query('select 1 from pg_database where datname = $1', [template]);
    if (rows.length === 0) {
      const draft = `${template}_draft`;
      await client.query(`drop database if exists ${draft} with (force)`);
      await client.query(`create database ${draft}`);
      const db = await openDatabase({ target: parseDatabaseUrl(urlOf(draft)) });
      await migrate(db, MIGRATIONS).finally(() => db.close());
      await client.query(`alter database ${draft} rename to ${template}`);
    }
  } finally {
    await client.query('select pg_advisory_unlock(hashtext($1))', [template]);
  }
  return template;
}

/** The server insists on a password, also where PostgreSQL trusts everybody and the URL has none. */
function passwordFlags(): string[] {
  return new URL(serverUrl()).password === '' ? ['--db-password', 'not-looked-at'] : [];
}

async function createPostgres(migrated: boolean): Promise<TestDatabase> {
  const name = `svc_test_${randomUUID().replaceAll('-', '')}`;
  await asAdmin(async (client) => {
    const template = migrated ? await postgresTemplate(client) : 'template1';
    await client.query(`create database ${name} template ${template}`);
  });
  const url = urlOf(name);
  const opened = tracked();
  return {
    kind: 'postgres',
    url,
    serverFlags: ['--db-url', url, ...passwordFlags()],
    async connect(options = {}) {
      return opened.add(await openDatabase({ target: parseDatabaseUrl(url), ...options }));
    },
    async drop() {
      await opened.closeAll();
      await asAdmin((client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/** Opens the embedded engine on a data directory; `close` ends the engine too. */
export async function openEmbedded(dataDir: string, options: Partial<OpenOptions> = {}): Promise<Db> {
  const engine = await startEmbedded({ dataDir, workerUrl: built('server/store/embedded/worker.js') });
  try {
    const db = await openDatabase({ target: engine.target, embedded: true, ...options });
    return {
      ...db,
      async close(graceMs) {
        await db.close(graceMs);
        await engine.close();
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/**
 * Of the 128 MB that PostgreSQL takes by default the embedded engine writes every byte when it starts: 0.14 of the 0.3 s
 * of processor time that a start takes on a copied directory.
 */
const BUFFERS_MB = 16;

/** Makes the template unless it is there: one of the test workers does, and the others wait for it. */
async function embeddedTemplate(migrated: boolean): Promise<string> {
  const hash = migrated ? await schemaHash() : 'empty';
  const template = join(tmpdir(), `svc-template-${hash}-${BUFFERS_MB}`);
  if (existsSync(template)) return template;
  const turn = await takeTurn(`${template}.turn`);
  try {
    if (!existsSync(template)) await makeTemplate(template, migrated);
  } finally {
    await turn.release();
  }
  return template;
}

async function takeTurn(directory: string): Promise<DirectoryLock> {
  await mkdir(directory, { recursive: true });
  for (;;) {
    try {
      return await lockDirectory(directory);
    } catch (error) {
      if (!(error instanceof DirectoryInUse)) throw error;
      await sleep(50);
    }
  }
}

/** Built aside and renamed, so that one that is there is whole. To make an empty cluster takes most of the time: 2 s. */
async function makeTemplate(template: string, migrated: boolean): Promise<void> {
  const draft = await mkdtemp(join(tmpdir(), 'svc-template-draft-'));
  if (migrated) await copyInto(draft, await embeddedTemplate(false));
  const db = await openEmbedded(draft);
  try {
    if (migrated) await migrate(db, MIGRATIONS);
  } finally {
    await db.close();
  }
  if (!migrated) await appendFile(join(draft, 'postgres/postgresql.conf'), `shared_buffers = ${BUFFERS_MB}MB\n`);
  await rename(draft, template);
}

/**
 * Makes `dataDir` the data directory of an embedded engine. Copying one takes a fraction of what a first start takes; with
 * `cp` 0.1 s for its thousand files, with Node's own function 0.4 s.
 */
export async function fillDataDirectory(dataDir: string, options: TestDatabaseOptions = {}): Promise<void> {
  await copyInto(dataDir, await embeddedTemplate(options.migrated ?? true));
}

async function copyInto(directory: string, from: string): Promise<void> {
  await promisify(execFile)('cp', ['-R', `${from}/.`, directory]);
}

async function createEmbedded(migrated: boolean): Promise<TestDatabase> {
  const dataDir = await makeDataDirectory();
  await fillDataDirectory(dataDir, { migrated });
  const opened = tracked();
  return {
    kind: 'embedded',
    serverFlags: ['--embedded', '--data-dir', dataDir],
    async connect(options = {}) {
      return opened.add(await openEmbedded(dataDir, options));
    },
    async drop() {
      await opened.closeAll();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
