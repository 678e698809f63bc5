import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { parseFilter } from '../../../src/server/service/filter/parse-filter.ts';
import { compileFilter } from '../../../src/server/store/filter/compile-filter.ts';
import { makeDataDirectory } from '../../support/data-root.ts';
import { fillDataDirectory } from '../../support/database.ts';

const MIGRATIONS = new URL('../../../src/server/store/migrations/', import.meta.url);
/** Of all rows. */
const SPACE = '00000000-0000-7000-8000-00000000000a';
const TABLE = `create table memory (
  space_id uuid not null default '${SPACE}',
  memory_id uuid primary key default gen_random_uuid(),
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  content_type text not null default 'text/plain',
  processing_status text not null default 'COMPLETED'
)`;

type Query = (sql: string, values?: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>;

export interface MemoryRow {
  memoryId?: string;
  metadata?: unknown;
  createdAt?: string;
  updatedAt?: string;
  contentType?: string;
  processingStatus?: string;
}

interface Connection {
  query: Query;
  close(): Promise<void>;
}

/** A memory table on the engine that the project of this run names, and filters evaluated on it. */
export class FilterRows {
  readonly query: Query;

  constructor(query: Query) {
    this.query = query;
  }

  /** Replaces all rows. */
  async store(memories: readonly MemoryRow[]): Promise<void> {
    await this.query('delete from memory', []);
    for (const memory of memories) {
      const metadata = typeof memory.metadata === 'string' ? memory.metadata : JSON.stringify(memory.metadata ?? {});
      await this.query(
        `insert into memory (memory_id, metadata, created_at, updated_at, content_type, processing_status)
         values (coalesce($1::uuid, gen_random_uuid()), $2::jsonb, coalesce($3::timestamptz, now()),
           coalesce($4::timestamptz, now()), coalesce($5::text, 'text/plain'), coalesce($6::text, 'COMPLETED'))`,
        [
          memory.memoryId ?? null,
          metadata,
          memory.createdAt ?? null,
          memory.updatedAt ?? null,
          memory.contentType ?? null,
          memory.processingStatus ?? null,
        ],
      );
    }
  }

  /** What the filter says of each row, in the order of their ids: true, false or null. */
  async evaluate(filter: string): Promise<unknown[]> {
    const parsed = parseFilter(filter, 'filter');
    if (parsed === undefined) {
      throw new Error('a blank filter has no value');
    }
    const { sql, values } = compileFilter(parsed, { alias: 'm', firstParameter: 1 });
    const { rows } = await this.query(`select ${sql} as result from memory m order by m.memory_id`, values);
    return rows.map(({ result }) => result);
  }

  /** The condition on the keys that the filter implies, and what it says of each row, in the order of their ids. */
  async evaluateKeys(filter: string): Promise<{ condition: string; results: unknown[] } | undefined> {
    const parsed = parseFilter(filter, 'filter');
    const compiled = parsed && compileFilter(parsed, { alias: 'm', firstParameter: 2, space: '$1' });
    if (compiled?.keys === undefined) return undefined;
    const { keys, sql, values } = compiled;
    // The filter itself gives all its parameters their types.
    const { rows } = await this.query(
      `select ${keys} as result, ${sql} as passes from memory m where m.space_id = $1 order by m.memory_id`,
      [SPACE, ...values],
    );
    return { condition: keys, results: rows.map(({ result }) => result) };
  }

  /** What the filter says of one memory. */
  async of(memory: MemoryRow, filter: string): Promise<unknown> {
    await this.store([memory]);
    const [result] = await this.evaluate(filter);
    return result;
  }

  /** The `metadata.name` of the rows that the filter lets through, sorted. The first parameter is another one's. */
  async matching(filter: string): Promise<unknown[]> {
    const parsed = parseFilter(filter, 'filter');
    if (parsed === undefined) {
      throw new Error('a blank filter matches everything');
    }
    const { sql, values } = compileFilter(parsed, { alias: 'm', firstParameter: 2 });
    const { rows } = await this.query(`select m.metadata ->> $1::text as name from memory m where ${sql} order by 1`, [
      'name',
      ...values,
    ]);
    return rows.map(({ name }) => name);
  }
}

/** Such a table for the tests of a file. */
export function useFilterRows(): FilterRows {
  let connection: Connection | undefined;
  beforeAll(async () => {
    connection = process.env.SVC_TEST_DATABASE === 'postgres' ? await connectPostgres() : await connectEmbedded();
    const [functions, keys] = await Promise.all(
      ['0002_filter_functions.sql', '0010_filter_keys.sql'].map((name) => readFile(new URL(name, MIGRATIONS), 'utf8')),
    );
    for (const statement of [functions ?? '', TABLE, keys ?? '']) await connection.query(statement);
  });
  afterAll(() => connection?.close());
  return new FilterRows((sql, values) => {
    if (connection === undefined) throw new Error('rows can be used once the tests run');
    return connection.query(sql, values);
  });
}

/** Of this worker: to make a cluster takes two seconds, and to open a copy half a one. */
let kept: PGlite | undefined;

async function connectEmbedded(): Promise<Connection> {
  const database = kept ?? (await openCopy());
  kept = undefined;
  return {
    async query(sql, values) {
      if (values !== undefined) return database.query<Record<string, unknown>>(sql, values);
      await database.exec(sql);
      return { rows: [] };
    },
    async close() {
      await database.exec('drop schema public cascade; create schema public');
      kept = database;
    },
  };
}

async function openCopy(): Promise<PGlite> {
  const dataDir = await makeDataDirectory();
  await fillDataDirectory(dataDir, { migrated: false });
  return PGlite.create(join(dataDir, 'postgres'));
}

async function connectPostgres(): Promise<Connection> {
  const url = new URL(process.env.TEST_DATABASE_URL ?? '');
  const admin = new pg.Client(url.href);
  await admin.connect();
  const name = `filter_${randomUUID().replaceAll('-', '')}`;
  await admin.query(`create database ${name}`);
  url.pathname = `/${name}`;
  const client = new pg.Client(url.href);
  await client.connect();
  return {
    query: (sql, values) => client.query(sql, values),
    async close() {
      await client.end();
      await admin.query(`drop database ${name}`);
      await admin.end();
    },
  };
}
