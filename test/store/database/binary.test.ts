import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  byteaArray,
  halfvec,
  halfvecArray,
  int4Array,
  textArray,
  uuidArray,
} from '../../../src/server/store/binary.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { toFloat16 } from '../../../src/server/store/float16.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const EMPTY = Buffer.alloc(0);

describe('binary parameters', () => {
  let database: TestDatabase;
  let db: Db;

  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    db = await database.connect();
  });
  afterAll(() => database.drop());

  test('arrays read back unchanged', async () => {
    const ids = [randomUUID(), randomUUID().toUpperCase()];
    const texts = ['', 'ünïcode 🐘', null, `quote " brace } comma , backslash \\`];
    const [row] = await db.main.query(
      {
        name: 'test_arrays',
        text: 'select $1::uuid[]::text[] as ids, $2::int4[] as small, $3::text[] as texts, $4::bytea[]::text[] as bytes',
      },
      [
        uuidArray(ids),
        int4Array([-1, 2 ** 31 - 1]),
        textArray(texts),
        byteaArray([Buffer.from([0, 255]), null, EMPTY]),
      ],
    );
    expect(row).toEqual({
      ids: ids.map((id) => id.toLowerCase()),
      small: [-1, 2 ** 31 - 1],
      texts,
      bytes: ['\\x00ff', null, '\\x'],
    });
  });

  test('empty arrays are empty', async () => {
    const [row] = await db.main.query(
      {
        name: 'test_empty',
        text: 'select cardinality($1::uuid[]) as ids, cardinality($2::text[]) as texts, cardinality($3::halfvec[]) as vectors',
      },
      [uuidArray([]), textArray([]), halfvecArray(await db.halfvecOid(), [])],
    );
    expect(row).toEqual({ ids: 0, texts: 0, vectors: 0 });
  });

  test('the database rounds text to the same halves', async () => {
    const values = Float32Array.from({ length: 4000 }, (_, index) => Math.sin(index * 1.7) * 10 ** ((index % 11) - 7));
    const [row] = await db.main.query<{ same: boolean; text: number[]; binary: number[] }>(
      { name: 'test_rounding', text: 'select $1::halfvec = $2::text::halfvec as same, $1::halfvec as binary' },
      [halfvec(values), `[${values.join()}]`],
    );
    expect(row?.same).toBe(true);
    expect(row?.binary).toHaveLength(4000);
  });

  test('vectors are stored through unnest and read back as numbers', async () => {
    const oid = await db.halfvecOid();
    const ids = [randomUUID(), randomUUID()];
    await db.main.script('create table embedding (id uuid primary key, vector halfvec(3) not null)');
    const stored = await db.main.execute(
      { name: 'test_store', text: 'insert into embedding select * from unnest($1::uuid[], $2::halfvec[])' },
      [uuidArray(ids), halfvecArray(oid, [new Float32Array([1, 0.5, -2]), new Float32Array([0, 65504, 2 ** -24])])],
    );
    const rows = await db.main.query<{ id: string; vector: number[] }>(
      {
        name: 'test_load',
        text: 'select id, vector from embedding order by vector <-> $1::halfvec',
      },
      [halfvec(new Float32Array([1, 1, 1]))],
    );
    expect(stored).toBe(2);
    expect(rows.map(({ id }) => id)).toEqual(ids);
    expect(rows[0]?.vector).toEqual([1, 0.5, -2]);
    // PostgreSQL prints a half with the fewest digits that tell it apart.
    expect(rows[1]?.vector.map(toFloat16)).toEqual([0, 65504, 2 ** -24].map(toFloat16));
  });
});
