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
  /** Of the embedded engine, one that an earlier file has used and that was emptied; no server can run on it. */
  readonly reused?: boolean;
}

/** The engine under test; `vitest.config.ts` sets it per project. */
export function testDatabaseKind(): TestDatabase['kind'] {
  return process.env.SVC_TEST_DATABASE === 'postgres' ? 'postgres' : 'embedded';
}

export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { migrated = true, reused = false } = options;
  if (testDatabaseKind() === 'postgres') return createPostgres(migrated);
  return reused ? takeEmbedded() : createEmbedded(migrated);
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
  const opened = tracked();
  return {
    kind: 'postgres',
    serverFlags: ['--db-url', urlOf(name), ...passwordFlags()],
    async connect(options = {}) {
      return opened.add(await openDatabase({ target: parseDatabaseUrl(urlOf(name)), ...options }));
    },
    async drop() {
      await opened.closeAll();
      await asAdmin((client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

async function openEmbedded(dataDir: string, options: Partial<OpenOptions> = {}): Promise<Db> {
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

interface Kept {
  readonly db: Db;
  /** Those of the schema; others are tables of vectors. */
  readonly tables: readonly string[];
}

/** Of this worker, open and empty: to start an engine takes half a second of processor time, to empty it a hundredth. */
const kept: Kept[] = [];

async function takeEmbedded(): Promise<TestDatabase> {
  const { db, tables } = kept.pop() ?? (await startKept());
  return {
    kind: 'embedded',
    serverFlags: [],
    async connect() {
      return { ...db, close: async () => {} };
    },
    async drop() {
      await db.main.script(emptying(tables));
      kept.push({ db, tables });
    },
  };
}

async function startKept(): Promise<Kept> {
  const dataDir = await makeDataDirectory();
  await fillDataDirectory(dataDir);
  const db = await openEmbedded(dataDir);
  const text = `select tablename as name from pg_tables where schemaname = 'public'`;
  const rows = await db.main.query<{ name: string }>({ name: 'test_tables', text });
  return { db, tables: rows.map(({ name }) => name) };
}

/** As new for the planner too, which goes by the pages that a table has: only what was written to is truncated. */
function emptying(tables: readonly string[]): string {
  const schema = tables.filter((name) => name !== 'schema_migration').join(',');
  return `do $$ declare name text; written text; begin
      for name in select tablename from pg_tables where schemaname = 'public' and tablename <> all ('{${tables}}') loop
        execute format('drop table if exists %I cascade', name);
      end loop;
      select string_agg(each, ', ') from unnest('{${schema}}'::text[]) each where pg_relation_size(each::regclass) > 0
        into written;
      if written is not null then execute 'truncate ' || written || ' restart identity cascade'; end if;
    end $$`;
}
