import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { migrate } from '../../../src/server/store/migrate.ts';
import { selectVectorLayout } from '../../../src/server/store/vector-layout.ts';
import {
  createVectorTable,
  segmentIndex,
  segmentTable,
  sharedPartition,
} from '../../../src/server/store/vector-tables.ts';
import { createTestDatabase } from '../../support/database.ts';
import { sql } from '../identity.fixture.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../src/server/store/migrations', import.meta.url));
const EMBEDDER = '0198e000-0000-7000-8000-000000000001';
const GROWN = '0198e000-0000-7000-8000-000000000002';
const UNFINISHED = '0198e000-0000-7000-8000-000000000003';
const SMALL = '0198e000-0000-7000-8000-000000000004';
const SPACES = [GROWN, UNFINISHED, SMALL];

/** A partition of a large space as servers made it before schema 8. */
function partitionSql(spaceId: string, isIndexed: boolean): string {
  const table = segmentTable({ spaceId, embedderId: EMBEDDER }, 0).slice(0, -2);
  const root = `vector_${EMBEDDER.replaceAll('-', '')}`;
  const insert = `insert into ${root} (space_id, indexed, memory_id, sequence, embedding)`;
  const index = `create index ${table}_index on ${table}_hnsw using hnsw (embedding halfvec_ip_ops)`;
  return `create table ${table} (like ${root} including all, check (space_id = '${spaceId}')) partition by list (indexed);
    create table ${table}_fresh partition of ${table} for values in (false);
    create table ${table}_hnsw partition of ${table} for values in (true);
    alter table ${root} attach partition ${table} for values in ('${spaceId}');
    ${insert} select '${spaceId}', n % 2 = 0, '${spaceId}', n, '[1,0]' from generate_series(1, 10) n;
    ${isIndexed ? index : ''}`;
}

test('a database with partitions of large spaces keeps their vectors and indexes', async () => {
  const database = await createTestDatabase({ migrated: false });
  const before = await mkdtemp(join(tmpdir(), 'svc-migrations-'));
  try {
    for (const name of await readdir(MIGRATIONS)) {
      if (name < '0008') await cp(join(MIGRATIONS, name), join(before, name));
    }
    const db = await database.connect();
    await migrate(db, before);
    await db.main.script(`
      insert into app_user (user_id, email, display_name, role, created_at, updated_at)
        values ('${EMBEDDER}', 'ada@example.org', 'Ada', 'USER', now(), now());
      insert into embedder (embedder_id, owner_id, display_name, provider_type, model_identifier, dimensionality,
          supported_modalities, target_fingerprint, created_at, updated_at, created_by_id, updated_by_id)
        values ('${EMBEDDER}', '${EMBEDDER}', 'Words', 'BUILTIN', 'lexical-v1', 2, '{TEXT}', '', now(), now(),
          '${EMBEDDER}', '${EMBEDDER}')`);
    await createVectorTable(db.main, { embedderId: EMBEDDER, dimensionality: 2 });
    for (const spaceId of SPACES) {
      await db.main.script(`
        insert into space (space_id, owner_id, name, chunking_config, created_at, updated_at, created_by_id, updated_by_id)
          values ('${spaceId}', '${EMBEDDER}', '${spaceId}', '{}', now(), now(), '${EMBEDDER}', '${EMBEDDER}');
        insert into space_embedder (space_id, embedder_id, position, default_retrieval_weight, own_partition, created_at,
            updated_at, created_by_id, updated_by_id)
          values ('${spaceId}', '${EMBEDDER}', 0, 1, ${spaceId !== SMALL}, now(), now(), '${EMBEDDER}', '${EMBEDDER}')`);
    }
    await db.main.script(partitionSql(GROWN, true));
    await db.main.script(partitionSql(UNFINISHED, false));

    await migrate(db, MIGRATIONS);
    const layouts = SPACES.map((spaceId) => selectVectorLayout(db.main, { spaceId, embedderId: EMBEDDER }));
    expect(await Promise.all(layouts)).toEqual([
      { version: 1, segments: [{ number: 1, state: 'INDEXED' }] },
      { version: 1, segments: [{ number: 1, state: 'PLAIN' }] },
      { version: 0, segments: [] },
    ]);
    for (const spaceId of [GROWN, UNFINISHED]) {
      const key = { spaceId, embedderId: EMBEDDER };
      const text = (table: string) => `select sequence, indexed from ${table} where space_id = $1 order by sequence`;
      const places = [text(segmentTable(key, 1)), text(sharedPartition(EMBEDDER))];
      const [own = [], shared = []] = await Promise.all(places.map((each) => sql(db, each, [spaceId])));
      expect(own).toEqual([2, 4, 6, 8, 10].map((sequence) => ({ sequence, indexed: true })));
      expect(shared).toEqual([1, 3, 5, 7, 9].map((sequence) => ({ sequence, indexed: false })));
    }
    const valid = 'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)';
    const key = { spaceId: GROWN, embedderId: EMBEDDER };
    expect(await sql(db, valid, [segmentIndex(key, 1)])).toEqual([{ valid: true }]);
    const tables = `select count(*) as count from pg_class where relname like 'vp\\_%' and relkind in ('r', 'p')`;
    expect(await sql(db, tables)).toEqual([{ count: 2 }]);
  } finally {
    await rm(before, { recursive: true });
    await database.drop();
  }
});
