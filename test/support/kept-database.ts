import type { Db } from '../../src/server/store/db.ts';
import { makeDataDirectory } from './data-root.ts';
import {
  createTestDatabase,
  fillDataDirectory,
  openEmbedded,
  type TestDatabase,
  testDatabaseKind,
} from './database.ts';

/** A database that a file has for itself, opened as all files open theirs; no server can run on it. */
export interface KeptDatabase extends Pick<TestDatabase, 'kind' | 'url' | 'drop'> {
  connect(): Promise<Db>;
}

interface Kept {
  readonly db: Db;
  /** Those of the schema; others are tables of vectors. */
  readonly tables: readonly string[];
}

/** Of this worker, open and empty: to start an engine takes half a second of processor time, to empty it a hundredth. */
const kept: Kept[] = [];

/** With the current schema and nothing in it: of the embedded engine one that an earlier file of this worker has used. */
export async function takeDatabase(): Promise<KeptDatabase> {
  if (testDatabaseKind() === 'postgres') return createTestDatabase();
  const { db, tables } = kept.pop() ?? (await startKept());
  return {
    kind: 'embedded',
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
